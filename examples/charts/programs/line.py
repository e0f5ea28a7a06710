import matplotlib.pyplot as plt

years = [2016, 2017, 2018, 2019, 2020, 2021, 2022, 2023]
river = [412, 398, 431, 455, 447, 472, 468, 490]
spring = [120, 134, 129, 141, 150, 148, 161, 170]

fig, ax = plt.subplots(figsize=(6, 4))
ax.plot(years, river, marker="o", color="#1b6ca8", label="River intake")
ax.plot(years, spring, marker="s", linestyle="--", color="#d1495b", label="Springs")
ax.set_title("Water drawn by the municipal works")
ax.set_xlabel("Year")
ax.set_ylabel("Thousand cubic metres")
ax.grid(True, alpha=0.4)
ax.legend()
plt.tight_layout()
plt.show()
