/* Empty on purpose: it takes the place of a 543 KB script of the theme. The theme's
   own web font draws the same icons without it. */
