import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

fig = plt.figure(figsize=(9, 4))
left = fig.add_subplot(1, 2, 1, projection="3d")
X, Y = np.meshgrid(np.linspace(-2, 2, 25), np.linspace(-2, 2, 25))
left.plot_surface(X, Y, X**2 - Y**2, cmap="coolwarm")
left.set_xlabel("x")
left.set_ylabel("y")
left.set_zlabel("z")
left.set_title("A saddle")

right = fig.add_subplot(1, 2, 2)
graph = nx.Graph(
    [
        ("Mill", "Bridge"),
        ("Bridge", "Market"),
        ("Market", "Station"),
        ("Market", "Harbour"),
        ("Harbour", "Mill"),
        ("Station", "Harbour"),
    ]
)
places = {"Mill": (0, 0), "Bridge": (1, 1), "Market": (2, 0.4), "Station": (3, 1), "Harbour": (2, -0.8)}
nx.draw(graph, places, ax=right, with_labels=True, node_color="#ffd166", node_size=1300, font_size=8)
right.set_title("Tram stops")
plt.tight_layout()
plt.show()
