import matplotlib.pyplot as plt
import numpy as np

days = ["Mon", "Tue", "Wed", "Thu", "Fri"]
hours = ["8", "10", "12", "14", "16", "18"]
visits = np.array(
    [
        [12, 30, 44, 38, 22, 9],
        [15, 28, 51, 40, 25, 11],
        [10, 33, 47, 36, 20, 8],
        [14, 29, 49, 42, 27, 12],
        [18, 35, 58, 46, 19, 5],
    ]
)

fig, ax = plt.subplots(figsize=(6, 4.5))
image = ax.imshow(visits, cmap="YlOrRd")
ax.set_xticks(range(len(hours)), hours)
ax.set_yticks(range(len(days)), days)
for row in range(visits.shape[0]):
    for column in range(visits.shape[1]):
        color = "white" if visits[row, column] > 40 else "black"
        ax.text(column, row, visits[row, column], ha="center", va="center", color=color)
fig.colorbar(image, label="Visitors")
ax.set_xlabel("Hour")
ax.set_title("Visitors of the reading room")
plt.tight_layout()
plt.show()
