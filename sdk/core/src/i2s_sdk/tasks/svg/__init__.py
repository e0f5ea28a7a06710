"""Images to SVG: icons, logos, diagrams and the like, drawn again as vector graphics."""
