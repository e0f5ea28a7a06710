import matplotlib.pyplot as plt

parts = ["Paper", "Glass", "Organic", "Metal", "Other"]
shares = [28, 17, 34, 8, 13]
colors = ["#8ecae6", "#219ebc", "#606c38", "#adb5bd", "#ffb703"]

fig, ax = plt.subplots(figsize=(5, 5))
ax.pie(shares, labels=parts, colors=colors, autopct="%1.0f%%", startangle=90, explode=[0, 0, 0.08, 0, 0])
ax.set_title("What the bins held")
plt.show()
