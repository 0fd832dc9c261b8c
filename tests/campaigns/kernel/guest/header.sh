#!/bin/sh
# gpiochip0 with a Pi's 54 lines, from the kernel's gpio-sim; SPI and I2C from module/copper.c.
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
modprobe gpio-sim
label=pinctrl-bcm2711
! grep -q "Pi 5" /proc/device-tree/model || label=pinctrl-rp1
modprobe copper header=$label
lines=/sys/kernel/config/gpio-sim/header/bank0
mkdir -p $lines
echo 54 > $lines/num_lines
echo $label > $lines/label
echo 1 > /sys/kernel/config/gpio-sim/header/live
