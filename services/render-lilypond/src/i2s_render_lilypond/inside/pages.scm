;; Loaded before a score: keep the pages as PostScript, with the size of the paper beside them, and
;; give every score the same random numbers.
;;
;; LilyPond would call Ghostscript here, for every page, whatever their size. The service looks at
;; the size first, and draws only the pages that are wanted.

(define lily (resolve-module '(lily)))

;; The first version of Landlock lets no file be renamed into another folder.
(define (move-file from to)
  (catch 'system-error
    (lambda () (rename-file from to))
    (lambda _ (copy-file from to) (delete-file from))))

(define (keep-pages resolution width height bbox base-name postscript is-eps)
  (if (not is-eps)
      (begin
        (move-file postscript (string-append base-name ".ps"))
        (call-with-output-file (string-append base-name ".paper")
          (lambda (port) (simple-format port "~A ~A\n" width height))))))

(module-set! lily 'postscript->png keep-pages)

(define (settle-chance) (set! *random-state* (seed->random-state 1)))
(settle-chance)
