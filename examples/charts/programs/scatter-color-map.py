import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(7)
height = rng.normal(1400, 350, 80)
slope = np.clip(rng.normal(24, 8, 80), 2, 45)
snow = 0.1 * (height - 600) - slope + rng.normal(0, 6, 80)

fig, ax = plt.subplots(figsize=(6, 4.5))
points = ax.scatter(height, slope, c=snow, s=40, cmap="viridis", edgecolors="black", linewidths=0.4)
fig.colorbar(points, ax=ax, label="Snow depth (cm)")
ax.set_xlabel("Height (m)")
ax.set_ylabel("Slope (degrees)")
ax.set_title("Snow on eighty survey plots")
plt.tight_layout()
plt.show()
