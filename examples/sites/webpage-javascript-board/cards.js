"use strict";
const PEOPLE = { AB: "#e09f3e", JK: "#9e2a2b", MS: "#540b0e", TV: "#335c67" };
const LABELS = { soil: "#8d6a4f", water: "#3a86c8", plants: "#4f9d69", permit: "#c44536" };
const LISTS = [
  { name: "To do", most: 6, cards: [
    { text: "Order 40 bags of light substrate", label: "soil", who: ["MS"], done: 0, of: 3 },
    { text: "Ask the neighbours about evening watering", label: "water", who: ["AB", "TV"], done: 0, of: 0 },
    { text: "Draw the plan for bed C", label: "plants", who: ["JK"], done: 1, of: 4 },
    { text: "Find a home for the old lemon tree", label: "plants", who: [], done: 0, of: 0 } ] },
  { name: "Waiting", most: 2, cards: [
    { text: "Load certificate for the east corner", label: "permit", who: ["TV"], done: 2, of: 3 },
    { text: "Quote for a second tap", label: "water", who: ["AB"], done: 1, of: 2 },
    { text: "Permit for the pergola", label: "permit", who: ["TV", "MS"], done: 1, of: 5 } ] },
  { name: "Doing", most: 3, cards: [
    { text: "Build two raised beds from the larch boards", label: "soil", who: ["JK", "MS"], done: 5, of: 8 },
    { text: "Sow tomatoes and chillies indoors", label: "plants", who: ["AB"], done: 3, of: 4 } ] },
  { name: "Done", most: 0, cards: [
    { text: "Measure the roof", label: "permit", who: ["TV"], done: 4, of: 4 },
    { text: "Repair the rain barrel", label: "water", who: ["JK"], done: 2, of: 2 },
    { text: "Clear out the shed", label: "soil", who: ["AB", "JK", "MS"], done: 6, of: 6 } ] },
];
