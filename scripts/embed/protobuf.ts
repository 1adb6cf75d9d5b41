/** Reads the protocol buffers wire format, as far as the data files need it. */
export class Protobuf {
  private at = 0
  private readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  get more(): boolean {
    return this.at < this.bytes.length
  }

  /** Returns the number of the next field. Read its value before the next tag. */
  tag(): number {
    return this.varint() >>> 3
  }

  varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++]!
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }

  /** Reads a zigzag-encoded number: 0, -1, 1, -2 ... */
  signed(): number {
    const value = this.varint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  text(): string {
    return this.chunk().toString('utf8')
  }

  message(): Protobuf {
    return new Protobuf(this.chunk())
  }

  private chunk(): Buffer {
    const length = this.varint()
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }
}
