import { FileError } from './file-error.ts'

/** Bytes that are read from start to end. The bytes returned by `take` are valid until the next `take`. */
export type ByteSource = {
  size: number
  /** The number of bytes taken so far. */
  position(): number
  /** Returns exactly this many bytes. @throws FileError if the source ends before. */
  take(length: number): Uint8Array
  close(): void
}

/** A source of bytes in memory. `name` is the name of the file in errors. */
export function memoryByteSource(bytes: Uint8Array, name: string): ByteSource {
  let at = 0
  return {
    size: bytes.length,
    position: () => at,
    take(length) {
      if (at + length > bytes.length)
        throw new FileError(
          `${name} is truncated or corrupt: expected ${length} bytes at byte ${at}, but it has ${bytes.length} bytes.`,
        )
      at += length
      return bytes.subarray(at - length, at)
    },
    close() {},
  }
}

/** Reads the numbers in bytes. */
export function viewOfBytes({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
