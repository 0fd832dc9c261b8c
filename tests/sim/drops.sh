# Plays Momentum on a square board: drops on the first empty place, and never swaps.
size=7 moves=
while read -r word rest; do
    case $word in
        ugi) printf '%s\n' 'id name Drops 1.0' 'option name Options type string default {}' ugiok ;;
        setoption)
            case $rest in *'"size":'*) size=${rest##*'"size":'} size=${size%%[!0-9]*} ;; esac ;;
        isready) echo readyok ;;
        position) moves=${rest#startpos} moves=${moves# moves} ;;
        go)
            echo "$moves" | awk -v size="$size" '
                function inside(x, y) { return x >= 1 && x <= size && y >= 1 && y <= size }
                function drop(x0, y0,   dx, dy, x, y) {
                    on[x0, y0] = 1
                    for (dx = -1; dx <= 1; dx++) for (dy = -1; dy <= 1; dy++) {
                        x = x0 + dx; y = y0 + dy
                        if ((!dx && !dy) || !on[x, y]) continue
                        while (on[x + dx, y + dy]) { x += dx; y += dy }
                        on[x, y] = 0
                        if (inside(x + dx, y + dy)) on[x + dx, y + dy] = 1
                    }
                }
                {
                    for (n = 1; n <= NF; n++) if ($n != "swap")
                        drop(index("abcdefghij", substr($n, 1, 1)), substr($n, 2) + 0)
                    for (y = 1; y <= size; y++) for (x = 1; x <= size; x++) if (!on[x, y]) {
                        print "bestmove " substr("abcdefghij", x, 1) y
                        exit
                    }
                }' ;;
        quit) exit ;;
    esac
done
