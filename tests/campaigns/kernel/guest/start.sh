#!/bin/sh -e
# First process of a User Mode Linux, on the file system of the computer outside: begins from $disk, a
# file there. A call to that file system returns when it is done. A disk that answers later would leave
# the guest idle meanwhile, and its clock would run on to the next timer, over all deadlines.
# $card: the file is a whole card, whose own first process goes on.
mount -t proc proc /proc
losetup ${card:+--partscan} /dev/loop0 "$disk"
mount -t ext4 ${card:+-o ro} "/dev/loop0${card:+p2}" /mnt
cd /mnt
mount --move /dev dev
mount --move /proc proc
pivot_root . mnt
exec chroot . sh -c "umount -l /mnt; exec ${card:-/sbin/init}" <dev/console >dev/console 2>&1
