// Render a LaTeX document and score the picture, over gRPC.
//
//   npm ci
//   node render_and_score.mjs DOCUMENT.tex REFERENCE.png
//
// Prints one JSON object: the verdict, the values of the metrics if there is a picture, and the first error of TeX if
// it had one. The picture is written to rendering.png. Exit code 1 if a service does not answer.
//
// Variables: I2S_RENDER_LATEX and I2S_METRICS are addresses, such as those that `i2s-sdk up` prints. I2S_TLS_CA is a
// file with certificates (PEM) for services with TLS, I2S_TOKEN a token for services that ask for one.

import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import grpc from "@grpc/grpc-js";
import protoLoader from "@grpc/proto-loader";

const CONTRACT = process.env.I2S_PROTOS ?? fileURLToPath(new URL("../../../protos", import.meta.url));
const MESSAGE_BYTES = 256 * 1024 * 1024;
const ATTEMPT_SECONDS = 120;
const ATTEMPTS = 5;

const contract = grpc.loadPackageDefinition(
  protoLoader.loadSync(["i2s/render/v1/render.proto", "i2s/metrics/v1/metrics.proto"], {
    includeDirs: [CONTRACT],
    keepCase: true, // names of fields as in the contract
    longs: String, // 64-bit integers do not fit in a number of JavaScript
    enums: String, // "VERDICT_RENDERED", not 1
    defaults: true,
    oneofs: true,
  }),
);

function connect(Client, address) {
  const options = {
    "grpc.max_send_message_length": MESSAGE_BYTES,
    "grpc.max_receive_message_length": MESSAGE_BYTES,
    "grpc.enable_retries": 0, // made in call()
  };
  return new Client(address, credentials, options);
}

function callCredentials() {
  return grpc.credentials.createFromMetadataGenerator((_, done) => {
    const metadata = new grpc.Metadata();
    metadata.set("authorization", `Bearer ${process.env.I2S_TOKEN}`);
    done(null, metadata);
  });
}

async function readCredentials() {
  if (process.env.I2S_TLS_CA === undefined) {
    if (process.env.I2S_TOKEN !== undefined) {
      throw new Error("I2S_TOKEN would be sent without TLS, where others can read it; give I2S_TLS_CA");
    }
    return grpc.credentials.createInsecure();
  }
  const secure = grpc.credentials.createSsl(await readFile(process.env.I2S_TLS_CA));
  return process.env.I2S_TOKEN === undefined
    ? secure
    : grpc.credentials.combineChannelCredentials(secure, callCredentials());
}

// What a source does wrong is a verdict in an answer. A status says that there is no answer: UNAVAILABLE and a full
// queue pass, and a service says in its trailing metadata when to come back.
async function call(client, method, request) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await new Promise((resolve, reject) => {
        const deadline = Date.now() + 1000 * ATTEMPT_SECONDS;
        client[method](request, { deadline }, (error, answer) => (error ? reject(error) : resolve(answer)));
      });
    } catch (error) {
      const [pushback] = error.metadata?.get("grpc-retry-pushback-ms") ?? [];
      const passes =
        error.code === grpc.status.UNAVAILABLE ||
        (error.code === grpc.status.RESOURCE_EXHAUSTED && pushback !== undefined);
      if (!passes || attempt === ATTEMPTS) throw error;
      await pause(Number(pushback ?? 500 * 2 ** attempt));
    }
  }
}

function needed(name) {
  const address = process.env[name];
  if (address === undefined) throw new Error(`${name} is not set; \`i2s-sdk up\` prints addresses of services`);
  return address;
}

async function renderAndScore(document, reference) {
  const renderer = connect(contract.i2s.render.v1.RenderService, needed("I2S_RENDER_LATEX"));
  const metrics = connect(contract.i2s.metrics.v1.MetricsService, needed("I2S_METRICS"));
  const rendering = await call(renderer, "Render", { latex: { document } });
  const told = { verdict: rendering.verdict.replace("VERDICT_", "") };
  if (rendering.error) told.error = { line: rendering.error.line, message: rendering.error.message };
  const [picture] = rendering.pictures;
  if (picture) {
    await writeFile("rendering.png", picture.png);
    const score = await call(metrics, "Score", {
      reference: { data: reference },
      prediction: { data: picture.png },
      metrics: ["ems", "ssim"],
      profile: "PROFILE_PAPER",
    });
    told.metrics = {};
    for (const one of score.results) {
      told.metrics[one.name] = one.outcome === "value" ? one.value : { undefined: one.failure.message };
    }
  }
  renderer.close();
  metrics.close();
  return told;
}

const [documentFile, referenceFile] = process.argv.slice(2);
if (referenceFile === undefined) {
  console.error("usage: node render_and_score.mjs DOCUMENT.tex REFERENCE.png");
  process.exit(2);
}
let credentials;
try {
  credentials = await readCredentials();
  const told = await renderAndScore(await readFile(documentFile), await readFile(referenceFile));
  console.log(JSON.stringify(told, null, 2));
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}
