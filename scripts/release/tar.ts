/** A file or a folder in an archive. A folder has no content. */
export type TarMember = { name: string; mode: number; content?: Uint8Array; owner?: number }

const block_bytes = 512
const nameMax_bytes = 100

/** Returns a ustar archive. The same members at the same time give the same bytes. */
export function tarOf(members: readonly TarMember[], at_s: number): Uint8Array {
  const blocks = members.flatMap((member) => {
    const content = member.content ?? new Uint8Array()
    return [
      headerOf(member, at_s),
      content,
      new Uint8Array((block_bytes - (content.length % block_bytes)) % block_bytes),
    ]
  })
  return Buffer.concat([...blocks, new Uint8Array(2 * block_bytes)])
}

function headerOf({ name, mode, content, owner = 0 }: TarMember, at_s: number): Uint8Array {
  const path = content === undefined ? `${name}/` : name
  if (Buffer.byteLength(path) > nameMax_bytes) throw new Error(`${path} is too long for a ustar archive.`)
  const header = Buffer.alloc(block_bytes)
  const write = (value: number, digits: number, at: number) =>
    header.write(value.toString(8).padStart(digits, '0'), at, 'latin1')
  header.write(path, 0)
  write(mode, 7, 100)
  write(owner, 7, 108)
  write(owner, 7, 116)
  write(content?.length ?? 0, 11, 124)
  write(at_s, 11, 136)
  header.write(' '.repeat(8), 148)
  header.write(content === undefined ? '5' : '0', 156)
  header.write('ustar\x0000', 257, 'latin1')
  write(
    header.reduce((sum, byte) => sum + byte, 0),
    6,
    148,
  )
  header.write('\0 ', 154, 'latin1')
  return header
}
