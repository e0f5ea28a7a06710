"""Preambles that look whether a format is dumped of them, or that a format would not hold."""

# Preambles that look whether a format is dumped of them, or was. What they find becomes ink.
SHOWN = r"\ifx\seen\undefined\def\seen{nothing}\fi"
# A font whose characters stick out by what the preamble sets.
PROTRUDING = r"\font\x=cmr10 %s\pdfprotrudechars2\def\later{\x\noindent aaa aaa}"
LOOKS = {
    "a name of ours": r"\ifdefined\itwosdump\def\seen{dumped}\fi",
    "a name of ours by csname": r"\ifcsname itwosaux\endcsname\def\seen{dumped}\fi",
    "what runs first": r"\edef\seen{\the\everyjob}",
    "the line": r"\edef\seen{\the\inputlineno}",
    "the record": r"\IfFileExists{document.fls}{\def\seen{dumped}}{}",
    "the record by jobname": r"\edef\x{\jobname.f}\IfFileExists{\x ls}{\def\seen{dumped}}{}",
    "its own source": r"\edef\seen{\pdffilesize{document.tex}}",
    "its own source by digest": r"\edef\seen{\pdfmdfivesum file{document.tex}}",
    "the .aux file": r"\IfFileExists{\jobname.aux}{\def\seen{again}}{\def\seen{first}}",
    "a picture by parts of its name": r"\edef\x{figure.p}\IfFileExists{\x ng}{\def\seen{there}}{}",
    "data by parts of its name": r"\edef\x{table.c}\expandafter\let\expandafter\io\csname open"
    r"in\endcsname\io5=\x sv \ifeof5 \def\seen{none}\else\def\seen{there}\fi",
    "the date": r"\year=1999 \def\seen{\the\year}",
    "a random number": r"\edef\seen{\pdfuniformdeviate 1000}\def\later{\pdfuniformdeviate 1000}",
    "a seed": r"\pdfsetrandomseed 77 \def\later{\pdfuniformdeviate 1000}",
    "what begins a job": r"\everyjob{\gdef\seen{job}}\edef\seen{\the\everyjob}\def\later{\the\everyjob}",
    "a high box": r"\setbox32766\hbox{box}\def\later{\box32766 }",
    "the spacing of a font": r"\font\x=cmr10 \csname lpcode\endcsname\x`a=900 \pdfprotrudechars2"
    r"\def\later{\x\noindent aaa aaa}",
    "shell and mode": r"\edef\seen{\the\pdfshellescape,\the\interactionmode,\jobname}",
    "other checks": r"\let\errmessage\message\let\ifnum\iftrue\def\seen{dumped}",
    "a dump of its own": r"\def\seen{dumped}\dump",
    "a dump by parts of its name": r"\def\seen{dumped}\csname du\string mp\endcsname",
    "a dump as the document begins": r"\def\seen{dumped}\AtBeginDocument{\dump}",
    "a dump with a proof made up": r"\immediate\write-1{abcdefghijklmnopqrstuvwx}\expandafter\pdfprimitive"
    r"\csname dump\endcsname",
    "boxes counted": r"\newcount\boxes\everyhbox{\global\advance\boxes1 }\def\later{\the\boxes}",
    "the command line": r"\openin5=/proc/self/cmdline \ifeof5 \def\seen{none}\else\endlinechar-1 "
    r"\catcode0=12 \readline5 to\seen\fi\closein5 ",
    "the spacing of a font by parts": PROTRUDING % r"\csname lp\empty code\endcsname\x`a=900",
    "the spacing of a font by number": PROTRUDING % r"\lp^^63ode\x`a=900",
    "the spacing of a font by expl3": PROTRUDING % r"\csname tex_lp\empty code:D\endcsname\x`a=900",
    "the spacing of a font as a primitive": PROTRUDING
    % r"\expandafter\pdfprimitive\csname lp\empty code\endcsname\x`a=900",
    "a font that expands by parts": r"\font\x=cmr10 \csname pdffont\empty expand\endcsname\x 50 50 5 "
    r"autoexpand\pdfadjustspacing2 \def\later{\parbox{3cm}{\x aaa aaa aaa aaa aaa aaa aaa aaa aaa aaa}}",
    "a wider font by parts": r"\font\x=cmr10 \csname letter\empty spacefont\endcsname\y=\x 200 "
    r"\def\later{\y aaa}",
    "another font by parts": r"\csname pdfmap\empty line\endcsname{=cmr10 CMSS10 <cmss10.pfb}\def\later{aaa}",
    "a copy of a command by parts": r"\font\x=cmr10 \expandafter\let\expandafter\copied\csname pdffont"
    r"\empty attr\endcsname\def\later{\copied\x{/Encoding /MacRomanEncoding}\x fi---}",
    "the record of a font by parts": r"\font\x=cmr10 \csname pdffont\empty attr\endcsname\x"
    r"{/Encoding /MacRomanEncoding}\def\later{\x fi---}",
}
# These have a format all the same: there is nothing for them to see.
SEES_NOTHING = {
    "a name of ours", "a name of ours by csname", "what runs first", "the line", "what begins a job",
    "shell and mode", "other checks", "a dump as the document begins", "boxes counted",
    "the command line", "a copy of a command by parts",
}  # fmt: skip
