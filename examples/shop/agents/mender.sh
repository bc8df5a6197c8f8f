#!/bin/sh
# An agent in sh: it mends the one mistake it knows. The prompt on stdin is not needed for that.
set -eu
cat > "$UMPIRE_SESSION/prompt.md"
sed 's/+ item\.price,/+ item.price * item.count,/' src/cart.mjs > cart.tmp
cat cart.tmp > src/cart.mjs
rm cart.tmp
echo "Looked at $(wc -l < src/cart.mjs) lines." >&2
echo '{"status": "completed", "findings": "total() forgot how many pieces there are of an item."}'
