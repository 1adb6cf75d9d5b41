declare const self: Worker

/** The longest answer of /healthz since the last report, in milliseconds. */
let longest_ms = 0

/** Requests a URL again and again in its own thread, and reports the longest answer when asked. */
self.onmessage = ({ data }: MessageEvent<{ url: string } | 'report'>) => {
  if (data !== 'report') void requestForever(data.url)
  else {
    self.postMessage(longest_ms, [])
    longest_ms = 0
  }
}

const pause_ms = 3

async function requestForever(url: string): Promise<never> {
  for (;;) {
    const began_ms = performance.now()
    await (await fetch(url)).arrayBuffer()
    longest_ms = Math.max(longest_ms, performance.now() - began_ms)
    await Bun.sleep(pause_ms)
  }
}
