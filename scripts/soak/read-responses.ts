import type { Socket } from 'bun'

// A process that reads many responses at once, so that its work does not delay the timers of the suite. Its arguments
// are a URL, the number of readers, and `read` or `stall`. A reader that stalls sends its request and reads nothing.
const [address = '', count = '1', behavior = 'read'] = process.argv.slice(2)
const { hostname, port, pathname } = new URL(address)
let [open, received_bytes] = [0, 0]
const finished = Promise.withResolvers<void>()
const request = `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n\r\n`
await Promise.all(Array.from({ length: Number(count) }, connect))
console.log('connected')
await finished.promise
console.log(`received ${received_bytes} bytes`)

function connect(): Promise<Socket> {
  open++
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
