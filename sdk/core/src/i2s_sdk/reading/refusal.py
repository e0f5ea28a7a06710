"""Refusals: answers that say that the model will not, or cannot, answer.

The list of openings is short on purpose, and is used only where a task found no structure, or where any text
would be one. docs/tasks.md repeats it.
"""

from __future__ import annotations

import re

#: A refusal has at most this many characters; a longer text says something else too.
MOST_CHARACTERS = 1500

_CANNOT = (
    r"(?:can(?:no|['’])t|can not|could(?:n['’]t| not)|won['’]t|will not|not allowed"
    r"|unable|not able|must decline|have to decline|do(?:n['’]t| not) (?:have|see|feel comfortable))"
)
_DONE = (
    r"(?:assist|help|comply|provide|process|view|see|transcribe|create|generate|fulfil|answer|do|recreate|reproduce"
    r"|convert|analy[sz]e|access|identify|read|continue|support|to|the|any|an|that|this|with)"
)
_MISSING = r"(?:(?:did|has|is|was)(?:n['’]t| not)|failed)"
_GIVEN = r"(?:upload|attach|provide|include|load|come through|display|share)"
#: Beginnings of refusals, and of answers that say that there is no image.
_OPENINGS = (
    rf"(?:i['’]m|i am|we['’]re) (?:very |so |really |truly )?(?:sorry|afraid)\b.{{0,200}}?\b{_CANNOT}\b",
    rf"(?:sorry|(?:my )?apologies|i apologi[sz]e|unfortunately|regrettably)\b.{{0,200}}?\bi\b"
    rf".{{0,20}}?{_CANNOT}\b",
    r"(?:i['’]m|i am) (?:very )?sorry[,.!]?\Z",
    rf"(?:i|we) (?:really |simply |just )?{_CANNOT} (?:\w+ly )?{_DONE}\b",
    r"(?:i['’]m|i am) (?:unable|not able|not allowed) to\b",
    rf"as an? (?:ai|artificial|large language|language|text)\b.{{0,200}}?\b{_CANNOT}\b",
    r"(?:unfortunately|regrettably)\b.{0,120}?\bimage\b.{0,120}?\bfor me to\b",
    r"(?:i['’]m|i am) (?:just |only )?an? (?:ai|artificial|large language|language|text)\b"
    rf".{{0,200}}?\bi\b.{{0,20}}?{_CANNOT}\b",
    r"(?:there (?:is|was)|i see|you have sent|i received) no image\b",
    r"(?:i notice |it (?:looks|seems|appears) )?(?:that |like )?no image (?:was|is|has been|could be)\b",
    r"no image (?:provided|attached|uploaded)\b[.!]?\s*\Z",
    r"(?:there |i )?do(?:es)?(?:n['’]t| not) (?:seem|appear) to (?:be|have|see) an(?:y)? image\b",
    r"(?:it (?:looks|seems|appears) (?:like |that )?)?"
    r"you (?:forgot to|did(?:n['’]t| not)|have(?:n['’]t| not)) "
    r"(?:upload|attach|provide|include|share)(?:d|ed)?\b.{0,20}?\bimage\b",
    rf"(?:it (?:looks|seems|appears) (?:like|that|as) )?(?:the|no|your) image\b.{{0,20}}\b{_MISSING}"
    rf".{{0,20}}\b{_GIVEN}",
    r"(?:please|could you(?: please)?|can you(?: please)?) (?:upload|provide|attach|share|send)\b"
    r".{0,40}\bimage(?=s?\b.{0,60}\b(?:i|me|you(?:['’]d| would| want)|so|again|first)\b|[.!?\s]*\Z)",
    r"很?抱歉|很遗憾|对不起|對不起|我无法|我無法|我不能|作为一[个名].{0,20}(?:模型|AI|人工智能)|申し訳|죄송합니다",
    r"leider kann ich\b",
    r"(?:lo siento|(?:je suis )?désolée?|(?:es )?tut mir leid|mi dispiace|desculpe|извините|к сожалению)\b",
)
#: Courtesies before what an answer has to say.
_COURTESY = re.compile(
    r"(?:i['’]?(?:d| would) (?:be (?:happy|glad) to|love to)[^.!\n]{0,80}[.!,]"
    r"|(?:thanks|thank you)[^.!\n]{0,60}[.!,]|hello[.!,]|hi[.!,]|sure[.!,])?\s*(?:but|however)?,?\s*",
    re.IGNORECASE,
)
_OPENING = re.compile("|".join(f"(?:{opening})" for opening in _OPENINGS), re.IGNORECASE | re.DOTALL)
_MARKUP = re.compile(r"[\s*_#>\"'“”`]+")


def is_refusal(answer: str) -> bool:
    """Return whether an answer opens as a refusal does, and says little else.

    A text that repeats the same paragraph, as an answer for each page of a document does, counts once.

    Args:
        answer: Answer without reasoning.
    """
    paragraphs = dict.fromkeys(part.strip() for part in answer.split("\n\n"))
    if sum(map(len, paragraphs)) > MOST_CHARACTERS:
        return False
    text = "\n\n".join(paragraphs).strip()
    markup = _MARKUP.match(text)
    start = markup.end() if markup else 0
    courtesy = _COURTESY.match(text, start)
    return any(_OPENING.match(text, at) for at in {start, courtesy.end() if courtesy else start})
