// The text of a page as it is shown. Runs in a world of our own.
(most) => {
  const text = document.body ? document.body.innerText : document.documentElement?.textContent;
  return String(text || "").slice(0, most);
}
