import { constants, crc32, deflateRawSync } from 'node:zlib'

/**
 * A member of a crafted archive. `declaredSize` is the inflated size in the directory; `sharesContent` reuses the
 * first member's bytes; `crc` is the sum, 0 if it is not given.
 */
export type CraftedMember = {
  name: string
  deflated: Uint8Array
  declaredSize: number
  sharesContent?: boolean
  crc?: number
}

/** A ZIP archive whose directory declares whatever the members say. */
export function craftZip(members: readonly CraftedMember[]): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, deflated, declaredSize, sharesContent, crc = 0 } of members) {
    const nameBytes = Buffer.from(name)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(crc, 16)
    entry.writeUInt32LE(deflated.length, 20)
    entry.writeUInt32LE(declaredSize, 24)
    entry.writeUInt16LE(nameBytes.length, 28)
    entry.writeUInt32LE(sharesContent ? 0 : offset, 42)
    directory.push(entry, nameBytes)
    if (sharesContent) continue
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(8, 8)
    local.writeUInt32LE(crc, 14)
    local.writeUInt32LE(deflated.length, 18)
    local.writeUInt32LE(declaredSize, 22)
    local.writeUInt16LE(nameBytes.length, 26)
    bodies.push(local, nameBytes, Buffer.from(deflated))
    offset += local.length + nameBytes.length + deflated.length
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(entries.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, entries, end])
}

/** An archive with one deflated member. */
export function zipWith(name: string, content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content)
  return craftZip([{ name, deflated: deflateRawSync(bytes), declaredSize: bytes.length, crc: crc32(bytes) }])
}

const block_bytes = 64 * 1024 ** 2
const finalBlock = Uint8Array.of(3, 0)

/** A deflate stream of this many blocks of 64 MiB of zeros. Each block takes about 65 kB. */
export function deflatedZeros(blocks: number): { deflated: Buffer; size: number } {
  // A full flush makes the block independent of its predecessors, so it can be repeated.
  const block = deflateRawSync(Buffer.alloc(block_bytes), { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  return { deflated: Buffer.concat([...Array<Buffer>(blocks).fill(block), finalBlock]), size: blocks * block_bytes }
}
