"use strict";
const flower = document.getElementById("flower").getContext("2d");
const gaps = document.getElementById("gaps").getContext("2d");
const angle = document.getElementById("angle");
const seeds = document.getElementById("seeds");

function positions(count, degrees) {
  const turn = degrees * Math.PI / 180;
  return Array.from({ length: count }, (_, n) => {
    const distance = 14.2 * Math.sqrt(n + 0.5);
    return [540 + distance * Math.cos(n * turn), 540 + distance * Math.sin(n * turn)];
  });
}

function nearest(points, n) {
  let best = Infinity;
  for (let m = 0; m < points.length; m++) {
    if (m !== n) best = Math.min(best, Math.hypot(points[n][0] - points[m][0], points[n][1] - points[m][1]));
  }
  return best;
}

function drawFlower(points) {
  flower.fillStyle = "#10131c";
  flower.fillRect(0, 0, 1080, 1080);
  points.forEach(([x, y], n) => {
    const share = n / points.length;
    flower.fillStyle = `hsl(${48 - 170 * share}, ${75 - 20 * share}%, ${62 - 14 * share}%)`;
    flower.beginPath();
    flower.arc(x, y, 3.2 + 7.5 * share, 0, 2 * Math.PI);
    flower.fill();
  });
}

function drawGaps(points) {
  gaps.clearRect(0, 0, 640, 220);
  gaps.strokeStyle = "#31384c";
  for (let y = 20; y <= 200; y += 45) {
    gaps.beginPath();
    gaps.moveTo(0, y + 0.5);
    gaps.lineTo(640, y + 0.5);
    gaps.stroke();
  }
  gaps.fillStyle = "#5ec8b5";
  const step = Math.max(1, Math.floor(points.length / 160));
  for (let n = 0; n < points.length; n += step) {
    const height = Math.min(200, nearest(points, n) * 6);
    gaps.fillRect(640 * n / points.length, 200 - height, 3, height);
  }
}

function tell(points, degrees) {
  document.getElementById("angle-said").textContent = `${degrees.toFixed(1)}°`;
  const body = document.getElementById("spirals");
  body.replaceChildren();
  for (const count of [8, 13, 21, 34, 55]) {
    const off = ((count * degrees) % 360 + 540) % 360 - 180;
    const row = body.insertRow();
    row.insertCell().textContent = count;
    row.insertCell().textContent = `${off.toFixed(1)}°`;
    row.insertCell().textContent = (Math.hypot(points[99][0] - points[99 - count][0], points[99][1] - points[99 - count][1]) / 14.2).toFixed(2);
  }
}

function draw() {
  const degrees = angle.value / 10;
  const points = positions(Number(seeds.value), degrees);
  drawFlower(points);
  drawGaps(points);
  tell(points, degrees);
}

angle.addEventListener("input", draw);
seeds.addEventListener("input", draw);
draw();
