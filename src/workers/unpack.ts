import { resolveEmbeddedFile, type EmbeddedLocation } from '../packs/embedded/embedded-file.ts'

declare const self: Worker

/** Unpacks the embedded data. Replies with the path of the file, or with its bytes if no file can be written. */
self.onmessage = ({ data }: MessageEvent<EmbeddedLocation>) => {
  const embedded = resolveEmbeddedFile(data)
  self.postMessage(embedded, typeof embedded === 'string' ? [] : [embedded.buffer])
}
