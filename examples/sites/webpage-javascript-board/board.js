"use strict";
function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function badge(name) {
  const element = make("span", { textContent: name, title: name });
  element.style.background = PEOPLE[name];
  element.style.color = "#fff";
  return element;
}

function track(card) {
  const bar = make("i");
  bar.style.width = `${100 * card.done / card.of}%`;
  return make("div", { className: "track" }, bar);
}

function drawCard(card) {
  const foot = make("div", { className: "foot" },
    make("span", { textContent: `#${card.label}${card.of ? `  ·  ${card.done}/${card.of}` : ""}` }),
    make("span", { textContent: card.who.join(", ") || "nobody yet" }));
  const element = make("div", { className: "card" }, make("p", { textContent: card.text }));
  if (card.of) element.append(track(card));
  element.append(foot);
  element.style.borderColor = LABELS[card.label];
  return element;
}

function draw(wanted) {
  const board = document.getElementById("board");
  board.replaceChildren(...LISTS.map((list) => {
    const shown = list.cards.filter((card) => card.text.toLowerCase().includes(wanted));
    const count = list.most ? `${shown.length} / ${list.most}` : `${shown.length}`;
    return make("section", { className: list.most && shown.length > list.most ? "list full" : "list" },
      make("h2", {}, list.name, make("span", { textContent: count })),
      ...shown.map(drawCard),
      make("button", { className: "add", textContent: "+ Add a card" }));
  }));
}

document.getElementById("people").append(...Object.keys(PEOPLE).map(badge));
document.getElementById("filter").addEventListener("input", (event) => draw(event.target.value.toLowerCase()));
draw("");
