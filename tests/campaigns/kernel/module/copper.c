// SPDX-License-Identifier: MIT
/*
 * SPI and I2C controllers whose wires end in user space. Above them are the kernel's own spidev and
 * i2c-dev, as on a Pi: /dev/spidev0.0, /dev/spidev1.0, /dev/i2c-1. One process serves /dev/copper
 * with a single call, over and over, as a system call is what costs most in a guest: NEXT takes
 * the answer to the last request, and returns with the next one.
 *
 *   answer:  u32 size from the status on (0: none is due), u32 nanoseconds that the request takes
 *            at least, s32 status, 0 or -errno, then the bytes read by all parts, in order
 *   request: u64 nanoseconds since the start, u64 levels of the header's lines,
 *            u32 number of parts (0: nothing was asked for a while), then for each part
 *            u16 bus, u16 address, u16 flags, u16 length, u32 hz, and the bytes written, if any
 *
 * An SPI transfer (one low phase of chip select) is one part with the flag SPI and the mode in its
 * low bits, and is answered with as many bytes. I2C messages of one transaction are its parts; one
 * that reads has the flag READ and brings no bytes.
 */
#include <linux/gpio/driver.h>
#include <linux/i2c.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/spi/spi.h>
#include <linux/uaccess.h>

#define FLAG_SPI 0x8000
#define FLAG_READ 0x4000
#define ROOM 16384
#define PATIENCE (10 * HZ)
#define IDLE_FOR msecs_to_jiffies(5)
#define NEXT _IO('C', 1)
#define LINES 54

struct head {
	__le64 now, lines;
	__le32 parts;
} __packed;

struct part {
	__le16 bus, address, flags, length;
	__le32 hz;
} __packed;

enum { IDLE, ASKED, TAKEN, ANSWERED };

static DEFINE_MUTEX(wires);	/* one request at a time, whatever its bus */
static DECLARE_WAIT_QUEUE_HEAD(changed);
static int state = IDLE;
static unsigned long served;	/* bit 0: somebody has /dev/copper open */
static u8 request[ROOM], answer[ROOM];
static size_t request_size, answer_size;
static u32 takes;
static char *header;
module_param(header, charp, 0);
MODULE_PARM_DESC(header, "label of the GPIO chip whose levels are told");

static void begin(u32 parts)
{
	((struct head *)request)->parts = cpu_to_le32(parts);
	request_size = sizeof(struct head);
}

static int add(u16 bus, u16 address, u16 flags, u16 length, u32 hz, const void *sent)
{
	struct part part = {
		.bus = cpu_to_le16(bus), .address = cpu_to_le16(address),
		.flags = cpu_to_le16(flags), .length = cpu_to_le16(length), .hz = cpu_to_le32(hz),
	};

	if (request_size + sizeof(part) + length > ROOM)
		return -EMSGSIZE;
	memcpy(request + request_size, &part, sizeof(part));
	request_size += sizeof(part);
	if (flags & FLAG_READ)
		return 0;
	if (sent)
		memcpy(request + request_size, sent, length);
	else
		memset(request + request_size, 0, length);
	request_size += length;
	return 0;
}

/*
 * With the wires locked. Leaves what was read behind the answer's first four bytes, and when the
 * transfer is over on a Pi.
 */
static int ask(size_t wanted, ktime_t *over)
{
	int status;

	*over = ktime_get();
	if (!test_bit(0, &served))
		return -EREMOTEIO;
	WRITE_ONCE(state, ASKED);
	wake_up_all(&changed);
	if (!wait_event_timeout(changed, READ_ONCE(state) == ANSWERED, PATIENCE))
		status = -ETIMEDOUT;
	else {
		status = (int)le32_to_cpu(*(__le32 *)answer);
		*over = ktime_add_ns(*over, takes);
	}
	WRITE_ONCE(state, IDLE);
	if (status == 0 && answer_size != sizeof(u32) + wanted)
		status = -EPROTO;
	return status;
}

/* Other buses go on meanwhile. */
static void wait_for(ktime_t over)
{
	while (ktime_before(ktime_get(), over)) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_hrtimeout(&over, HRTIMER_MODE_ABS);
	}
}

static int spi_part(struct spi_controller *host, struct spi_device *spi, struct spi_transfer *t)
{
	ktime_t over = 0;
	int status;

	mutex_lock(&wires);
	begin(1);
	status = add(host->bus_num, spi_get_chipselect(spi, 0), FLAG_SPI | (spi->mode & 3), t->len,
		     t->speed_hz, t->tx_buf);
	if (!status)
		status = ask(t->len, &over);
	if (!status && t->rx_buf)
		memcpy(t->rx_buf, answer + sizeof(u32), t->len);
	mutex_unlock(&wires);
	wait_for(over);
	return status;
}

static int i2c_parts(struct i2c_adapter *adapter, struct i2c_msg *messages, int count)
{
	size_t wanted = 0, at = sizeof(u32);
	ktime_t over = 0;
	int i, status = 0;

	mutex_lock(&wires);
	begin(count);
	for (i = 0; i < count && !status; i++) {
		bool reads = messages[i].flags & I2C_M_RD;

		status = add(adapter->nr, messages[i].addr, reads ? FLAG_READ : 0, messages[i].len,
			     0, messages[i].buf);
		wanted += reads ? messages[i].len : 0;
	}
	if (!status)
		status = ask(wanted, &over);
	for (i = 0; i < count && !status; i++)
		if (messages[i].flags & I2C_M_RD) {
			memcpy(messages[i].buf, answer + at, messages[i].len);
			at += messages[i].len;
		}
	mutex_unlock(&wires);
	wait_for(over);
	return status ?: count;
}

static u32 i2c_can(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static int copper_open(struct inode *inode, struct file *file)
{
	return test_and_set_bit(0, &served) ? -EBUSY : 0;
}

static int copper_release(struct inode *inode, struct file *file)
{
	clear_bit(0, &served);
	return 0;
}

static u64 levels(void)
{
	static struct gpio_device *chip;
	unsigned long all = GENMASK(LINES - 1, 0), found = 0;

	if (!chip)
		chip = gpio_device_find_by_label(header);
	if (chip) {
		struct gpio_chip *lines = gpio_device_get_chip(chip);

		lines->get_multiple(lines, &all, &found);
	}
	return found;
}

static long copper_ioctl(struct file *file, unsigned int call, unsigned long at)
{
	struct head *head = (struct head *)request;
	u8 __user *user = (u8 __user *)at;
	struct head nothing = {};
	__le32 told[2];
	long left;

	if (call != NEXT)
		return -ENOTTY;
	if (copy_from_user(told, user, sizeof(told)))
		return -EFAULT;
	if (told[0]) {
		if (READ_ONCE(state) != TAKEN)
			return -EPIPE;
		answer_size = le32_to_cpu(told[0]);
		takes = le32_to_cpu(told[1]);
		if (answer_size < sizeof(u32) || answer_size > ROOM)
			return -EMSGSIZE;
		if (copy_from_user(answer, user + sizeof(told), answer_size))
			return -EFAULT;
		WRITE_ONCE(state, ANSWERED);
		wake_up_all(&changed);
	}
	left = wait_event_interruptible_timeout(changed, READ_ONCE(state) == ASKED, IDLE_FOR);
	if (left < 0)
		return left;
	if (!left)
		head = &nothing;
	head->now = cpu_to_le64(ktime_get_ns());
	head->lines = cpu_to_le64(levels());
	if (copy_to_user(user, head, left ? request_size : sizeof(nothing)))
		return -EFAULT;
	if (left)
		WRITE_ONCE(state, TAKEN);
	return 0;
}

static const struct file_operations copper_calls = {
	.owner = THIS_MODULE, .open = copper_open, .release = copper_release,
	.unlocked_ioctl = copper_ioctl,
};
static struct miscdevice copper = {
	.minor = MISC_DYNAMIC_MINOR, .name = "copper", .fops = &copper_calls, .mode = 0600,
};
static const struct i2c_algorithm i2c_calls = {.master_xfer = i2c_parts, .functionality = i2c_can};
static struct i2c_adapter i2c = {
	.owner = THIS_MODULE, .nr = 1, .algo = &i2c_calls, .name = "bcm2835 (copper)",
};
static struct platform_device *parent;

static int add_spi(int number)
{
	/* spidev binds to this name without a device tree; it is a DAC that nobody has. */
	struct spi_board_info device = {
		.modalias = "dh2228fv", .max_speed_hz = 125000000, .bus_num = number,
	};
	struct spi_controller *host = spi_alloc_host(&parent->dev, 0);
	int status;

	if (!host)
		return -ENOMEM;
	host->bus_num = number;
	host->num_chipselect = 1;
	host->mode_bits = SPI_CPOL | SPI_CPHA;
	host->bits_per_word_mask = SPI_BPW_MASK(8);
	host->max_speed_hz = 125000000;
	host->transfer_one = spi_part;
	status = spi_register_controller(host);
	if (status) {
		spi_controller_put(host);
		return status;
	}
	return spi_new_device(host, &device) ? 0 : -ENODEV;
}

/* Never unloaded: the guest ends with its tests. */
static int __init start(void)
{
	int status;

	parent = platform_device_register_simple("copper", -1, NULL, 0);
	if (IS_ERR(parent))
		return PTR_ERR(parent);
	i2c.dev.parent = &parent->dev;
	status = misc_register(&copper) ?: i2c_add_numbered_adapter(&i2c) ?: add_spi(0) ?: add_spi(1);
	WARN(status, "copper: a bus is missing: %d", status);
	return 0;
}

module_init(start);
MODULE_DESCRIPTION("Buses whose chips are in user space");
MODULE_LICENSE("Dual MIT/GPL");
