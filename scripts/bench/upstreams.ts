import { services } from '../../test/upstreams/services.ts'
import { openUpstreams } from '../../test/upstreams/upstreams.ts'
import type { ReceivedCall, StandInCommand } from './stand-in.ts'

// The simulated upstreams as a process that times each call. Commands and reports go through the IPC channel of its
// parent.
let heard: ReceivedCall[] = []
let delay_ms = 0
const upstreams = openUpstreams({
  services: services.map((service) => ({
    ...service,
    async answer(request) {
      const begun_ms = performance.now()
      const answer = await service.answer(request)
      if (answer)
        heard.push({
          host: request.host,
          path: request.path,
          begun_ms,
          ended_ms: Math.max(performance.now(), begun_ms + delay_ms),
        })
      return answer
    },
  })),
})

process.on('message', (order: StandInCommand) => {
  if (order.do === 'delay') {
    delay_ms = order.ms
    upstreams.delay(order.ms)
  } else if (order.do === 'hang') upstreams.fault({ host: order.host }, 'hang')
  else if (order.do === 'break') upstreams.fault({ host: order.host }, 'reset')
  else if (order.do === 'heal') upstreams.heal()
  process.send!({ calls: heard, received: upstreams.calls.map(({ host }) => host), unknown: upstreams.unknown })
  if (order.do !== 'tell') return
  heard = []
  upstreams.calls.length = 0
})
console.log(upstreams.url)
