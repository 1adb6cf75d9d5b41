import type { Socket } from 'bun'

// A process that reads many responses at once, so that its work does not delay the timers of the suite. Its arguments
// are `read` or `stall`, the number of readers, and the URLs that they read in turn. A reader that stalls sends its
// request and reads nothing.
const [behavior = 'read', count = '1', ...addresses] = process.argv.slice(2)
let [open, received_bytes] = [0, 0]
const finished = Promise.withResolvers<void>()
const urls = addresses.map((address) => new URL(address))
await Promise.all(Array.from({ length: Number(count) }, (_none, i) => connect(urls[i % urls.length]!)))
console.log('connected')
await finished.promise
console.log(`received ${received_bytes} bytes`)

function connect({ hostname, port, host, pathname, search }: URL): Promise<Socket> {
  open++
  const request = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  return Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open(socket) {
        socket.write(request)
        if (behavior === 'stall') socket.pause()
      },
      data(_socket, bytes) {
        received_bytes += bytes.length
      },
      close() {
        if (--open === 0) finished.resolve()
      },
      error: () => {},
    },
  })
}
