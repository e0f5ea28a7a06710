import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(-3, 3, 120)
y = np.linspace(-2, 2, 80)
X, Y = np.meshgrid(x, y)
Z = np.exp(-((X - 1) ** 2) - Y**2) + 0.7 * np.exp(-((X + 1.2) ** 2) - (Y - 0.4) ** 2)

fig, ax = plt.subplots(figsize=(6, 4))
filled = ax.contourf(X, Y, Z, levels=10, cmap="terrain")
lines = ax.contour(X, Y, Z, levels=5, colors="black", linewidths=0.6)
ax.clabel(lines, fontsize=7)
fig.colorbar(filled, label="Height")
ax.set_xlabel("East (km)")
ax.set_ylabel("North (km)")
ax.set_title("Two hills")
plt.tight_layout()
plt.show()
