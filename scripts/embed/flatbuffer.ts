/**
 * A table of a FlatBuffers file. Fields are addressed by their slots in the schema: 4 for the first, 6 for the second,
 * and so on.
 */
export class FlatTable {
  private readonly bytes: Buffer
  private readonly start: number

  constructor(bytes: Buffer, start: number) {
    this.bytes = bytes
    this.start = start
  }

  static root(bytes: Buffer): FlatTable {
    return new FlatTable(bytes, bytes.readUInt32LE(0))
  }

  /** Returns 0 if the field is missing, which is the default of every field read here. */
  byte(slot: number): number {
    const at = this.field(slot)
    return at ? this.bytes.readUInt8(at) : 0
  }

  double(slot: number): number {
    const at = this.field(slot)
    return at ? this.bytes.readDoubleLE(at) : 0
  }

  text(slot: number): string | null {
    const at = this.field(slot)
    return at ? textAt(this.bytes, at) : null
  }

  texts(slot: number): string[] {
    return this.items(slot, 4).map((at) => textAt(this.bytes, at))
  }

  table(slot: number): FlatTable | null {
    const at = this.field(slot)
    return at ? new FlatTable(this.bytes, follow(this.bytes, at)) : null
  }

  tables(slot: number): FlatTable[] {
    return this.items(slot, 4).map((at) => new FlatTable(this.bytes, follow(this.bytes, at)))
  }

  /** Returns the bytes of each struct of a list. */
  structs(slot: number, size: number): Buffer[] {
    return this.items(slot, size).map((at) => this.bytes.subarray(at, at + size))
  }

  private items(slot: number, size: number): number[] {
    const at = this.field(slot)
    if (!at) return []
    const list = follow(this.bytes, at)
    return Array.from({ length: this.bytes.readUInt32LE(list) }, (_, i) => list + 4 + i * size)
  }

  private field(slot: number): number {
    const layout = this.start - this.bytes.readInt32LE(this.start)
    const offset = slot < this.bytes.readUInt16LE(layout) ? this.bytes.readUInt16LE(layout + slot) : 0
    return offset ? this.start + offset : 0
  }
}

const follow = (bytes: Buffer, at: number): number => at + bytes.readUInt32LE(at)

function textAt(bytes: Buffer, at: number): string {
  const start = follow(bytes, at)
  return bytes.toString('utf8', start + 4, start + 4 + bytes.readUInt32LE(start))
}
