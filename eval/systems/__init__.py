"""Systems that can be evaluated besides the product: a plain chat endpoint, and answers that somebody has recorded."""
