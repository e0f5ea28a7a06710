;; A LilyPond that is started once and forks for each job.
;;
;; Runs in a cell of the jail. Two pipes lead to the service; no job ever holds them. A job runs in
;; a child that is confined once more before it sees a byte of the score: its own folder is all
;; that it can write, it can signal nobody else, and nothing that it has open is shared with anyone.
;;
;; Lines from the service                          and to it
;;   compile FOLDER CPU-SECONDS INCLUDE PLAN         done EXIT SIGNAL CPU-MICROSECONDS KIB LEFT
;;   run FOLDER CPU-SECONDS PROGRAM ARGUMENT…        the same
;;   prove FOLDER CPU-SECONDS                        the same; EXIT is 0 where its isolation holds
;;   clean FOLDER                                    clean 1 or clean 0
;; INCLUDE is a file to include before the score, or "-". PLAN is what cairo is to draw, or "-" if the
;; pages are to stay PostScript; see draw-with-cairo in pages.scm. EXIT is -1 after a signal, SIGNAL 0 without
;; one. LEFT is 1 where processes of the job are still alive. The first line to the service is "ready".

(use-modules (system foreign) (rnrs bytevectors) (ice-9 rdelim) (ice-9 binary-ports) (srfi srfi-1))

;; -- what the service decided ---------------------------------------------------------------

(define settings (call-with-input-file "zygote.settings" read))
(define (setting name) (cdr (assq name settings)))
(define work (getcwd))
(define call-filter (call-with-input-file "zygote.filter" get-bytevector-all #:binary #t))
(primitive-load (string-append (setting 'inside) "/pages.scm"))
(primitive-load (string-append (setting 'inside) "/notes.scm"))

;; -- system calls -----------------------------------------------------------------------------

(define ECHILD 10)
(define WALL #x40000000)
(define O-PATH #o10000000)
(define PR-SET-PDEATHSIG 1)
(define PR-SET-DUMPABLE 4)
(define PR-SET-SECCOMP 22)
(define PR-SET-CHILD-SUBREAPER 36)
(define SECCOMP-MODE-FILTER 2)
(define LANDLOCK-CREATE-RULESET 444)
(define LANDLOCK-ADD-RULE 445)
(define LANDLOCK-RESTRICT-SELF 446)
(define RULE-PATH-BENEATH 1)

(define raw-call
  (pointer->procedure long (dynamic-func "syscall" (dynamic-link))
                      (list long size_t size_t size_t size_t size_t size_t) #:return-errno? #t))

;; A bytevector stands for its address; it must be kept by the caller.
(define (call number . arguments)
  (define (word value)
    (cond ((bytevector? value) (pointer-address (bytevector->pointer value)))
          ((negative? value) (+ value (expt 2 64)))
          (else value)))
  (apply raw-call number (take (append (map word arguments) (list 0 0 0 0 0 0)) 6)))

(define (must name number . arguments)
  (call-with-values (lambda () (apply call number arguments))
    (lambda (result errno)
      (if (negative? result) (error "the kernel refused" name (strerror errno)))
      result)))

(define (prctl name option value . more)
  (apply must name (setting 'prctl) option value more))

(define (words . values)
  (let ((bytes (make-bytevector (* 8 (length values)))))
    (for-each (lambda (place value) (bytevector-u64-native-set! bytes (* 8 place) value))
              (iota (length values)) values)
    bytes))

;; -- confinement of a job -----------------------------------------------------------------------

;; The rights of linux/landlock.h. A file that a job has written is never a program.
(define READ-FILE 4)
(define READ-WRITE-FILE 6)
(define READ #b1101)                            ; execute, read file, read folder
(define OWN (logior #b1110 #b110110000 (ash 1 13) (ash 1 14))) ; but for links, devices, sockets
(define FILE-ONLY (logior #b111 (ash 1 14)))

;; What this kernel's Landlock controls; the filter of calls holds what it does not.
(define all-file-access (setting 'all-files))
(define all-net-access (setting 'all-network))
(define signals-and-abstract-sockets (setting 'all-scopes))

(define (may ruleset path access)
  (if (file-exists? path)
      (let* ((file (open-fdes path O-PATH))
             (access (logand access all-file-access (if (file-is-directory? path) access FILE-ONLY)))
             (rule (words access file)))
        (must "landlock_add_rule" LANDLOCK-ADD-RULE ruleset RULE-PATH-BENEATH rule 0)
        (close-fdes file))))

(define (only-own-files folder)
  (let* ((handled (words all-file-access all-net-access signals-and-abstract-sockets))
         (ruleset (must "landlock_create_ruleset" LANDLOCK-CREATE-RULESET handled 24 0)))
    (for-each (lambda (path) (may ruleset path READ)) (setting 'readable))
    (for-each (lambda (path) (may ruleset path READ-WRITE-FILE)) (setting 'devices))
    (may ruleset folder OWN)
    (must "landlock_restrict_self" LANDLOCK-RESTRICT-SELF ruleset 0)
    (close-fdes ruleset)))

(define (fewer-calls)
  (let ((program (words (quotient (bytevector-length call-filter) 8)
                        (pointer-address (bytevector->pointer call-filter)))))
    (prctl "seccomp" PR-SET-SECCOMP SECCOMP-MODE-FILTER program 0 0)))

;; Everything inherited is replaced, so that nothing is shared and no number is free by accident.
(define (no-descriptor-but output)
  (let ((null (open-fdes "/dev/null" O_RDWR)))
    (dup2 null 0)
    (dup2 output 1)
    (dup2 output 2)
    (for-each (lambda (fd)
                (call-with-values (lambda () (call (setting 'fcntl) fd F_GETFD))
                  (lambda (flags errno)
                    (if (not (negative? flags)) (dup2 null fd)))))
              (iota 253 3))))

(define (confine folder log cpu-seconds)
  (prctl "pdeathsig" PR-SET-PDEATHSIG SIGKILL)
  (chdir folder)
  (setenv "HOME" folder)
  (setenv "TMPDIR" folder)
  (no-descriptor-but (open-fdes log (logior O_WRONLY O_CREAT O_EXCL O_APPEND) #o600))
  (setrlimit 'cpu cpu-seconds (1+ cpu-seconds))
  (only-own-files folder)
  (fewer-calls))

;; -- children ---------------------------------------------------------------------------------------

(define rusage (make-bytevector 144))
(define status (make-bytevector 4))

;; Wait for a process, -1 for any. Returns its pid, 0 where none has ended, or #f where there is none.
(define (wait pid options)
  (call-with-values (lambda () (call (setting 'wait4) pid status (logior options WALL) rusage))
    (lambda (ended errno)
      (cond ((not (negative? ended)) ended)
            ((= errno ECHILD) #f)
            (else (wait pid options))))))

(define (microseconds)
  (define (field place) (bytevector-s64-native-ref rusage (* 8 place)))
  (+ (* 1000000 (+ (field 0) (field 2))) (field 1) (field 3)))

;; Orphans of a job become children of ours, so once we have none, nobody of the job is left.
(define (reap used)
  (let ((ended (wait -1 WNOHANG)))
    (cond ((not ended) (values used 0))
          ((zero? ended) (values used 1))
          (else (reap (+ used (microseconds)))))))

(define (child thunk)
  (flush-all-ports)
  (let ((pid (primitive-fork)))
    (if (zero? pid)
        (begin
          (catch #t thunk
            (lambda (key . arguments)
              (if (eq? key 'quit)
                  (begin (flush-all-ports)
                         (primitive-_exit (if (and (pair? arguments) (integer? (car arguments)))
                                              (logand 255 (car arguments)) 0))))
              (print-exception (current-error-port) #f key arguments)))
          (flush-all-ports)
          (primitive-_exit 1)))
    (wait pid 0)
    (let ((how (bytevector-s32-native-ref status 0))
          (used (microseconds))
          (kib (bytevector-s64-native-ref rusage 32)))
      (call-with-values (lambda () (reap used))
        (lambda (used left)
          (list "done" (or (status:exit-val how) -1) (or (status:term-sig how) 0) used kib left))))))

(define (folder-of name) (string-append work "/" name))

;; -- what is asked -----------------------------------------------------------------------------------

(define lily (resolve-module '(lily)))
(define (of-lily name) (module-ref lily name))

(define (typeset score include)
  (let ((failed 0))
    ((of-lily 'ly:set-option) 'include-settings include)
    (settle-chance)
    ((of-lily 'lilypond-file) (lambda (key file) (set! failed 1)) score)
    ((of-lily 'ly:check-expected-warnings))
    (flush-all-ports)
    failed))

(define (compile folder cpu-seconds include plan)
  (child (lambda ()
           (confine (folder-of folder) "score.log" (string->number cpu-seconds))
           (if (not (string=? plan "-")) (draw-with-cairo plan))
           (primitive-_exit (typeset "score.ly" (and (not (string=? include "-")) include))))))

(define (run folder cpu-seconds program . arguments)
  (child (lambda ()
           (confine (folder-of folder) "draw.log" (string->number cpu-seconds))
           (setenv "GLIBC_TUNABLES" (setting 'tunables))
           (apply execl program program arguments))))

;; -- proof that the isolation of a job holds ------------------------------------------------------------

(define (refused? name thunk)
  (let ((refused (catch #t (lambda () (thunk) #f) (lambda _ #t))))
    (if (not refused) (format (current-error-port) "a job may ~A\n" name))
    refused))

(define (call-refused? name . arguments)
  (refused? name (lambda () (apply must name arguments))))

(define (nothing-shared?)
  (every (lambda (fd)
           (call-with-values (lambda () (call (setting 'fcntl) fd F_GETFD))
             (lambda (flags errno)
               (or (negative? flags)
                   (let ((null (stat "/dev/null")) (own (stat fd)))
                     (and (= (stat:rdev null) (stat:rdev own)) (= (stat:ino null) (stat:ino own))))
                   (begin (format (current-error-port) "a job holds descriptor ~A\n" fd) #f)))))
         (iota 253 3)))

(define (prove folder cpu-seconds)
  (let ((zygote (getpid)) (settings-file (string-append work "/zygote.settings")))
    (child (lambda ()
             (confine (folder-of folder) "prove.log" (string->number cpu-seconds))
             (let ((held (list
                          (refused? "signal the zygote" (lambda () (kill zygote 0)))
                          (refused? "read beside its folder" (lambda () (open-fdes settings-file O_RDONLY)))
                          (refused? "write beside its folder"
                                    (lambda () (open-fdes "../escaped" (logior O_WRONLY O_CREAT))))
                          (refused? "change the zygote's files" (lambda () (delete-file settings-file)))
                          (refused? "empty the zygote's files by their name"
                                    (lambda () (truncate-file settings-file 0)))
                          (refused? "empty the zygote's files by opening them"
                                    (lambda () (open-fdes settings-file (logior O_RDONLY O_TRUNC))))
                          (refused? "link out of its folder" (lambda () (symlink "/etc/passwd" "link")))
                          (call-refused? "change limits of the zygote" (setting 'prlimit) zygote 0 (words 0 0) 0)
                          (call-refused? "trace the zygote" (setting 'ptrace) 16 zygote 0 0)
                          (nothing-shared?))))
               (force-output (current-error-port))
               (primitive-_exit (if (every identity held) 0 1)))))))

;; -- cleaning up ------------------------------------------------------------------------------------------

(define (remove-tree path)
  (if (eq? 'directory (stat:type (lstat path)))
      (let ((stream (opendir path)))
        (let next ((name (readdir stream)))
          (if (not (eof-object? name))
              (begin
                (if (not (member name '("." "..")))
                    (remove-tree (string-append path "/" name)))
                (next (readdir stream)))))
        (closedir stream)
        (rmdir path))
      (delete-file path)))

(define (clean folder)
  (list "clean" (catch #t (lambda () (remove-tree (folder-of folder)) 1) (lambda _ 0))))

;; -- life ----------------------------------------------------------------------------------------------

(define (warm-up)
  (let ((all-settings ((of-lily 'ly:all-options))))
    ((of-lily 'ly:reset-all-fonts))
    ((of-lily 'ly:parse-init) "declarations-init.ly")
    (mkdir "warm")
    (chdir "warm")
    (typeset (string-append (setting 'inside) "/warm.ly") #f)
    (if (setting 'cairo)
        (begin
          (draw-with-cairo "101,1,1,1,2000000")
          (typeset (string-append (setting 'inside) "/warm.ly") #f)))
    (chdir work)
    ((of-lily 'session-terminate))
    (for-each (lambda (option) ((of-lily 'ly:set-option) (car option) (cdr option))) all-settings)
    (remove-tree "warm")
    (gc)))

(define (serve from to)
  (define (tell words)
    (display (string-join (map object->string* words) " ") to)
    (newline to)
    (force-output to))
  (define (object->string* word) (if (string? word) word (number->string word)))
  (tell '("ready"))
  (let next ((line (read-line from)))
    (if (not (eof-object? line))
        (let ((words (string-split line #\space)))
          (tell (apply (assoc-ref operations (car words)) (cdr words)))
          (next (read-line from))))))

(define operations `(("compile" . ,compile) ("run" . ,run) ("prove" . ,prove) ("clean" . ,clean)))

(prctl "dumpable" PR-SET-DUMPABLE 0)
(prctl "subreaper" PR-SET-CHILD-SUBREAPER 1)
(warm-up)
(serve (fdes->inport (setting 'from)) (fdes->outport (setting 'to)))
(primitive-_exit 0)
