#!/bin/sh
# An agent in sh. It mends the one mistake it knows, so it needs nothing of the prompt.
set -eu
cat > /dev/null
grep -q 'item\.price, 0' src/cart.mjs || {
  echo '{"status": "failed", "error": "This is not the mistake I know."}'
  exit
}
sed 's/item\.price, 0/item.price * item.count, 0/' src/cart.mjs > "$UMPIRE_SESSION/cart.mjs"
mv "$UMPIRE_SESSION/cart.mjs" src/cart.mjs
echo "Mended src/cart.mjs." >&2
echo '{"status": "completed", "findings": "total() forgot how many pieces there are of an item."}'
