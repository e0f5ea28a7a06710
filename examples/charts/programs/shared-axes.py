import matplotlib.pyplot as plt
import numpy as np

time = np.linspace(0, 10, 200)
fig, axes = plt.subplots(2, 2, figsize=(7, 5), sharex=True, sharey=True)
for ax, damping in zip(axes.flat, (0.0, 0.1, 0.3, 0.8)):
    ax.plot(time, np.exp(-damping * time) * np.cos(3 * time), color="#6a4c93")
    ax.fill_between(time, -np.exp(-damping * time), np.exp(-damping * time), color="#6a4c93", alpha=0.15)
    ax.set_title(f"Damping {damping}")
    ax.grid(True)
for ax in axes[1]:
    ax.set_xlabel("Time (s)")
for ax in axes[:, 0]:
    ax.set_ylabel("Displacement")
fig.suptitle("A damped oscillator")
plt.tight_layout()
plt.show()
