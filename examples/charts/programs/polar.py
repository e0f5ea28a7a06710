import matplotlib.pyplot as plt
import numpy as np

directions = np.arange(0, 2 * np.pi, np.pi / 4)
speed = [4.2, 6.1, 3.5, 2.0, 2.8, 7.4, 8.9, 5.3]

fig = plt.figure(figsize=(5, 5))
ax = fig.add_subplot(projection="polar")
ax.bar(directions, speed, width=0.6, color="#457b9d", edgecolor="white")
ax.set(theta_offset=np.pi / 2, theta_direction=-1)  # north on top, clockwise
ax.set_xticks(directions, ["N", "NE", "E", "SE", "S", "SW", "W", "NW"])
ax.set_title("Mean wind speed (m/s)")
plt.show()
