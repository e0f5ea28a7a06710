import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(11)
names = ["A", "B", "C"]
samples = [rng.normal(mean, spread, 60) for mean, spread in ((50, 6), (55, 9), (47, 4))]

fig, (left, right) = plt.subplots(1, 2, figsize=(8, 4), sharey=True)
boxes = left.boxplot(samples, tick_labels=names, patch_artist=True)
for box, color in zip(boxes["boxes"], ("#cdb4db", "#ffc8dd", "#a2d2ff")):
    box.set_facecolor(color)
left.set_title("Box plot")
left.set_ylabel("Score")
right.violinplot(samples, showmedians=True)
right.set_xticks([1, 2, 3], names)
right.set_title("Violin plot")
fig.suptitle("Three classes, one test")
plt.tight_layout()
plt.show()
