#!/bin/sh -e
# First process of a User Mode Linux, on the file system of the computer outside: begins from $disk, a
# file there. A call to that file system returns when it is done. A disk that answers later would leave
# the guest idle meanwhile, and its clock would run on to the next timer, over all deadlines.
mount -t proc proc /proc
losetup /dev/loop0 "$disk"
mount -t ext4 /dev/loop0 /mnt
cd /mnt
mount --move /dev dev
mount --move /proc proc
pivot_root . mnt
exec chroot . sh -c 'umount -l /mnt; exec /sbin/init' <dev/console >dev/console 2>&1
