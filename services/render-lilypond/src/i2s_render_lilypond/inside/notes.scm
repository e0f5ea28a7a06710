;; Loaded before a score: an engraver that notes the heads of all notes, which notes.ly adds to every layout.
;;
;; A line of score.notes is one note:
;;   SCORE STAFF VOICE ONSET GRACE DURATION WHAT TIE
;; SCORE, STAFF and VOICE are indices from 0; ONSET, GRACE and DURATION fractions of a whole note, GRACE "-" for
;; a note that is none; WHAT is OCTAVE,STEP,ALTERATION as LilyPond counts them, or the name of a drum; TIE is 1 if
;; a tie leads from the note to another one. The line "more" says that something was left out.

(define most-notes 10000)
(define most-digits 15)

(define record-notes
  (let* ((lily (resolve-module '(lily)))
         (of-lily (lambda (name) (module-ref lily name)))
         (event-property (of-lily 'ly:event-property))
         (grob-property (of-lily 'ly:grob-property))
         (main (of-lily 'ly:moment-main))
         (grace (of-lily 'ly:moment-grace))
         (now (of-lily 'ly:context-current-moment))
         (context-of (of-lily 'ly:translator-context))
         (context-id (of-lily 'ly:context-id))
         (find-context (of-lily 'ly:context-find))
         (scores 0))
    (define (short? number) (<= (string-length (number->string number)) (* 2 most-digits)))
    (define (visible? grob)
      (and (not (eq? #t (grob-property grob 'transparent #f)))
           ((of-lily 'ly:grob-property-data) grob 'stencil)))
    (define (what event)
      (let ((pitch (event-property event 'pitch #f)) (drum (event-property event 'drum-type #f)))
        (cond (((of-lily 'ly:pitch?) pitch)
               (string-join (map number->string (list ((of-lily 'ly:pitch-octave) pitch)
                                                      ((of-lily 'ly:pitch-notename) pitch)
                                                      ((of-lily 'ly:pitch-alteration) pitch)))
                            ","))
              ((symbol? drum) (symbol->string drum))
              (else #f))))
    ;; The numbers of staves and voices are given at the end, when all staves have begun.
    (define (write-notes score staves heads tied more)
      (let ((voices (make-hash-table)))     ; of a staff: voices and their indices, the last one first
        (define (staff-index staff)
          (or (hashq-ref staves staff)
              (let ((index (hash-count (const #t) staves))) (hashq-set! staves staff index) index)))
        (define (voice-index staff voice)
          (let* ((known (hashq-ref voices staff '())) (found (assoc voice known)))
            (if found
                (cdr found)
                (begin (hashq-set! voices staff (acons voice (length known) known)) (length known)))))
        (let ((port (open-file "score.notes" "a")))
          (for-each
           (lambda (head)
             (let* ((grob (car head)) (staff (staff-index (cadr head))) (voice (voice-index staff (caddr head))))
               (simple-format port "~A ~A ~A ~A ~A\n" score staff voice (cadddr head) (if (hashq-ref tied grob) 1 0))))
           heads)
          (if more (display "more\n" port))
          (close-port port))))
    (lambda (context)
      (let ((score scores) (staves (make-hash-table)) (heads '()) (count 0) (more #f) (ties '()) (tie-count 0))
        (define (note-staff engraver grob source)
          (let ((staff (find-context (context-of source) 'Staff)))
            (if (and staff (not (hashq-ref staves staff)))
                (hashq-set! staves staff (hash-count (const #t) staves)))))
        (define (note-head engraver grob source)
          (let* ((event ((of-lily 'event-cause) grob))
                 (duration (and event (event-property event 'duration #f)))
                 (name (and event (what event)))
                 (voice (context-of source))
                 (staff (find-context voice 'Staff)))
            (if (and name staff ((of-lily 'ly:duration?) duration) (visible? grob)
                     (memq ((of-lily 'grob::name) grob) '(NoteHead TabNoteHead)))
                (let* ((moment (now context))
                       (onset (main moment))
                       (length (main ((of-lily 'ly:duration-length) duration))))
                  (if (and (< count most-notes) (short? onset) (short? length) (< (string-length name) 40))
                      (begin
                        (set! count (1+ count))
                        (set! heads
                              (cons (list grob staff (if (string-null? (context-id voice)) voice (context-id voice))
                                          (simple-format #f "~A ~A ~A ~A" onset
                                                         (if (zero? (grace moment)) "-" (grace moment)) length name))
                                    heads)))
                      (set! more #t))))))
        (define (note-tie engraver grob source)
          (if (< tie-count most-notes)
              (begin (set! tie-count (1+ tie-count)) (set! ties (cons grob ties)))
              (set! more #t)))
        (define (finish engraver)
          (let ((tied (make-hash-table)))
            (for-each (lambda (tie) (hashq-set! tied ((of-lily 'ly:spanner-bound) tie -1) #t)) ties)
            (write-notes score staves (reverse heads) tied more)))
        (set! scores (1+ scores))
        `((acknowledgers . ((staff-symbol-interface . ,note-staff)
                            (note-head-interface . ,note-head)
                            (tie-interface . ,note-tie)))
          (finalize . ,finish))))))

((module-ref (resolve-module '(lily)) 'ly:register-translator)
 record-notes 'Note_recorder_engraver
 '((grobs-created . ()) (events-accepted . ()) (properties-read . ()) (properties-written . ())
   (description . "Writes down the notes that are engraved.")))
