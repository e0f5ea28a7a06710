% Included before a score: neither tagline nor page footers, unless the score asks for its own.
\header { tagline = ##f }
\paper { oddFooterMarkup = ##f evenFooterMarkup = ##f }
