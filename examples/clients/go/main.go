// Render a LaTeX document and score the picture, over gRPC.
//
//	go run . DOCUMENT.tex REFERENCE.png
//
// Prints one JSON object: the verdict, the values of the metrics if there is a picture, and the first error of TeX if
// it had one. The picture is written to rendering.png. Exit code 1 if a service does not answer.
//
// Variables: I2S_RENDER_LATEX and I2S_METRICS are addresses, such as those that `i2s-sdk up` prints. I2S_TLS_CA is a
// file with certificates (PEM) for services with TLS, I2S_TOKEN a token for services that ask for one.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	metricspb "example.org/i2s/render-and-score/i2s/metrics/v1"
	renderpb "example.org/i2s/render-and-score/i2s/render/v1"
)

const (
	messageBytes   = 256 * 1024 * 1024
	attemptSeconds = 120
	attempts       = 5
)

// token is a bearer token that every call carries. It is never sent without TLS.
type token string

func (t token) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(t)}, nil
}

func (t token) RequireTransportSecurity() bool { return true }

func connect(variable string) (*grpc.ClientConn, error) {
	address := os.Getenv(variable)
	if address == "" {
		return nil, fmt.Errorf("%s is not set; `i2s-sdk up` prints addresses of services", variable)
	}
	options := []grpc.DialOption{
		grpc.WithDefaultCallOptions(
			grpc.MaxCallSendMsgSize(messageBytes), grpc.MaxCallRecvMsgSize(messageBytes),
		),
		grpc.WithDisableRetry(), // made in call
	}
	if file := os.Getenv("I2S_TLS_CA"); file != "" {
		secure, err := credentials.NewClientTLSFromFile(file, "")
		if err != nil {
			return nil, err
		}
		options = append(options, grpc.WithTransportCredentials(secure))
	} else {
		options = append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))
	}
	if secret := os.Getenv("I2S_TOKEN"); secret != "" {
		options = append(options, grpc.WithPerRPCCredentials(token(secret)))
	}
	return grpc.NewClient(address, options...)
}

// call makes a call, again where that may help. What a source does wrong is a verdict in an answer. A status says that
// there is no answer: UNAVAILABLE and a full queue pass, and a service says in its trailing metadata when to come back.
func call(do func(ctx context.Context, options ...grpc.CallOption) error) error {
	for attempt := 1; ; attempt++ {
		var trailer metadata.MD
		ctx, cancel := context.WithTimeout(context.Background(), attemptSeconds*time.Second)
		err := do(ctx, grpc.Trailer(&trailer))
		cancel()
		pause, told := pushback(trailer)
		code := status.Code(err)
		passes := code == codes.Unavailable || (code == codes.ResourceExhausted && told)
		if err == nil || !passes || attempt == attempts {
			return err
		}
		if !told {
			pause = 500 * time.Millisecond << attempt
		}
		time.Sleep(pause)
	}
}

func pushback(trailer metadata.MD) (time.Duration, bool) {
	values := trailer.Get("grpc-retry-pushback-ms")
	if len(values) == 0 {
		return 0, false
	}
	milliseconds, err := strconv.Atoi(values[0])
	return time.Duration(milliseconds) * time.Millisecond, err == nil && milliseconds >= 0
}

func renderAndScore(document, reference []byte) (map[string]any, error) {
	toRenderer, err := connect("I2S_RENDER_LATEX")
	if err != nil {
		return nil, err
	}
	defer toRenderer.Close()
	toMetrics, err := connect("I2S_METRICS")
	if err != nil {
		return nil, err
	}
	defer toMetrics.Close()

	request := &renderpb.RenderRequest{
		Source: &renderpb.RenderRequest_Latex{Latex: &renderpb.LatexSource{Document: document}},
	}
	var rendering *renderpb.RenderResponse
	err = call(func(ctx context.Context, options ...grpc.CallOption) (err error) {
		rendering, err = renderpb.NewRenderServiceClient(toRenderer).Render(ctx, request, options...)
		return err
	})
	if err != nil {
		return nil, err
	}
	told := map[string]any{"verdict": strings.TrimPrefix(rendering.Verdict.String(), "VERDICT_")}
	if rendering.Error != nil {
		told["error"] = map[string]any{"line": rendering.Error.Line, "message": rendering.Error.Message}
	}
	if len(rendering.Pictures) == 0 {
		return told, nil
	}
	png := rendering.Pictures[0].Png
	if err := os.WriteFile("rendering.png", png, 0o644); err != nil {
		return nil, err
	}
	pair := &metricspb.ScoreRequest{
		Reference:  &metricspb.Image{Image: &metricspb.Image_Data{Data: reference}},
		Prediction: &metricspb.Image{Image: &metricspb.Image_Data{Data: png}},
		Metrics:    []string{"ems", "ssim"},
		Profile:    metricspb.Profile_PROFILE_PAPER,
	}
	var score *metricspb.ScoreResponse
	err = call(func(ctx context.Context, options ...grpc.CallOption) (err error) {
		score, err = metricspb.NewMetricsServiceClient(toMetrics).Score(ctx, pair, options...)
		return err
	})
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for _, one := range score.Results {
		if failure := one.GetFailure(); failure != nil {
			values[one.Name] = map[string]any{"undefined": failure.Message}
		} else {
			values[one.Name] = one.GetValue()
		}
	}
	told["metrics"] = values
	return told, nil
}

func run() error {
	if len(os.Args) != 3 {
		return errors.New("usage: render-and-score DOCUMENT.tex REFERENCE.png")
	}
	document, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	reference, err := os.ReadFile(os.Args[2])
	if err != nil {
		return err
	}
	told, err := renderAndScore(document, reference)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(told, "", "  ")
	if err != nil {
		return err
	}
	fmt.Println(string(text))
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
