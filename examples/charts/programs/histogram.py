import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(3)
morning = rng.gamma(6, 2.0, 400)
evening = rng.gamma(9, 2.0, 400)
bins = np.arange(0, 45, 3)

fig, ax = plt.subplots(figsize=(6, 4))
ax.hist(morning, bins=bins, alpha=0.6, color="tab:blue", label="Morning")
ax.hist(evening, bins=bins, alpha=0.6, color="tab:orange", label="Evening")
ax.axvline(morning.mean(), color="tab:blue", linestyle=":")
ax.axvline(evening.mean(), color="tab:orange", linestyle=":")
ax.set_xlabel("Waiting time (minutes)")
ax.set_ylabel("Patients")
ax.set_title("Waiting times at the clinic")
ax.legend()
plt.tight_layout()
plt.show()
