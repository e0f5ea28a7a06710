;; Loaded before a score: keep the pages as PostScript, with the size of the paper beside them, and
;; give every score the same random numbers.
;;
;; The pages of the job's own book have its name, "score". A score can name other files for its books
;; (\bookOutputName, \bookOutputSuffix). They are kept as "book1", and "book2" if there are more of them: the
;; service takes the first if there is no other and no book of the job's own.
;;
;; LilyPond would call Ghostscript here, for every page, whatever their size. The service looks at
;; the size first, and draws only the pages that are wanted.

(define lily (resolve-module '(lily)))

;; The first version of Landlock lets no file be renamed into another folder.
(define (move-file from to)
  (catch 'system-error
    (lambda () (rename-file from to))
    (lambda _ (copy-file from to) (delete-file from))))

;; The name that the pages of a book are kept under. Names that the score chose may lie anywhere.
(define (kept-name base-name)
  (cond ((string=? base-name "score") base-name)
        ((file-exists? "book1.paper") "book2")
        (else "book1")))

(define (keep-pages resolution width height bbox base-name postscript is-eps)
  (if (not is-eps)
      (let ((name (kept-name base-name)))
        (move-file postscript (string-append name ".ps"))
        (call-with-output-file (string-append name ".paper")
          (lambda (port) (simple-format port "~A ~A\n" width height))))))

(module-set! lily 'postscript->png keep-pages)

;; Or draw them with cairo, in the process that typesets them. What would be too large is not drawn: the
;; service reads the size of the paper and the number of pages, and says so.
;;
;; The job's own book is drawn, and before it the first under another name, which it overwrites. PLAN is a text
;; of five numbers:
;; dots per inch, first page, last page, most pages, most pixels of a page. The pages are page1.png and so on.
(define (draw-with-cairo plan)
  (define (of-lily name) (module-ref lily name))
  (define numbers (map string->number (string-split plan #\,)))
  (define (note file . values)
    (call-with-output-file file
      (lambda (port) (display (string-join (map number->string values) " ") port) (newline port))))
  (define (draw-book base-name stencils header paper formats)
    (let ((size ((@@ (lily framework-ps) output-width-height) paper))
          (name (kept-name base-name))
          (is-first (not (or (file-exists? "score.paper") (file-exists? "book1.paper")))))
      (note (string-append name ".paper") (car size) (cdr size))
      (note (string-append name ".pages") (length stencils))
      (if (or (string=? name "score") is-first)
          (apply draw-pages stencils header paper formats (car size) (cdr size) numbers))))
  (define (draw-pages stencils header paper formats width height dpi first last most-pages most-pixels)
    (define (pixels points) (ceiling (/ (* points dpi) 72)))
    (define (draw page)
      ((of-lily 'ly:cairo-output-stencils) (string-append "page" (number->string (1+ (- page first))))
                                           (list (list-ref stencils (1- page))) header paper formats))
    (define (draw-from page)
      (if (<= page (min last (length stencils)))
          (begin (draw page) (draw-from (1+ page)))))
    ;; A score may have set these options for itself.
    ((of-lily 'ly:set-option) 'resolution dpi)
    ((of-lily 'ly:set-option) 'anti-alias-factor 1)
    (if (and (<= (length stencils) most-pages) (<= (* (pixels width) (pixels height)) most-pixels))
        (draw-from first)))
  ((of-lily 'ly:set-option) 'backend 'cairo)
  (module-set! (resolve-module '(lily framework-cairo)) 'output-stencils draw-book))

(define (settle-chance) (set! *random-state* (seed->random-state 1)))
(settle-chance)
