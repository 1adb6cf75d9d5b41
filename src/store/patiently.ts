import { diskRefusal, isBusy, isOfTheDisk, notWritable } from './disk.ts'

const again_ms = 40
const waitMax_ms = 8000

/**
 * A write that somebody waits for. While another connection holds the database it is tried again, without standing in anybody's way, and is refused
 * when that lasts too long. `write` must leave nothing behind when it throws.
 */
export async function patiently<T>(write: () => T): Promise<T> {
  const until_ms = performance.now() + waitMax_ms
  for (;;) {
    try {
      return write()
    } catch (error) {
      if (!isBusy(error)) throw isOfTheDisk(error) ? diskRefusal(error) : error
      if (performance.now() > until_ms) throw notWritable()
    }
    await Bun.sleep(again_ms)
  }
}
