import matplotlib.pyplot as plt
import numpy as np

crops = ["Wheat", "Barley", "Oats", "Rye"]
dry = [5.1, 4.4, 3.6, 3.9]
wet = [6.8, 5.2, 4.9, 4.1]

x = np.arange(len(crops))
fig, ax = plt.subplots(figsize=(6, 4))
first = ax.bar(x - 0.2, dry, 0.4, label="Dry year", color="#e9c46a")
second = ax.bar(x + 0.2, wet, 0.4, label="Wet year", color="#2a9d8f")
ax.bar_label(first, fmt="%.1f")
ax.bar_label(second, fmt="%.1f")
ax.set_xticks(x, crops)
ax.set_ylabel("Yield (t/ha)")
ax.set_ylim(0, 8)
ax.set_title("Yield by crop and season")
ax.legend(loc="upper right")
plt.tight_layout()
plt.show()
