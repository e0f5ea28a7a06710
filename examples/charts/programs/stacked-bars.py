import matplotlib.pyplot as plt

lines = ["Line 4", "Line 7", "Line 9", "Line 12"]
on_time = [71, 64, 80, 58]
late = [21, 24, 15, 27]
cancelled = [8, 12, 5, 15]

fig, ax = plt.subplots(figsize=(6, 3.5))
ax.barh(lines, on_time, color="#588157", label="On time")
ax.barh(lines, late, left=on_time, color="#f4a259", label="Late")
starts = [a + b for a, b in zip(on_time, late)]
ax.barh(lines, cancelled, left=starts, color="#bc4b51", label="Cancelled")
ax.set_xlim(0, 100)
ax.set_xlabel("Share of departures (%)")
ax.set_title("Punctuality of four bus lines")
ax.legend(loc="lower center", bbox_to_anchor=(0.5, -0.42), ncol=3)
plt.tight_layout()
plt.show()
