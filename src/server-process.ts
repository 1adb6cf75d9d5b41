import { createSharedDeadline } from './async/deadline.ts'
import { ApiError, type ApiCode } from './model/error.ts'

/** A signal that stops a server. */
export type StopSignal = 'SIGTERM' | 'SIGINT'

/** What the supervisor of `serve --processes` assigns to a process that it starts. */
export type ProcessAssignment = {
  /** From 1. The first process also does the work that one process does for all. */
  number: number
  /** How many processes there are. */
  count: number
  /** The port that all processes listen on, and the base URL with this port. */
  port: number
  base_url: string
  /** Whether it replaces a process that ended. */
  isReplacement: boolean
}

/**
 * A call that processes answer for others. The argument and the value are JSON. `heartbeat` is the call of the
 * supervisor, which learns from the reply that the process responds.
 */
export type ProcessCall = { name: 'metrics' | 'redeem_sign_in' | 'pack_fetch' | 'heartbeat'; argument: unknown }
/** The answer of a process to a call: a value, an error for a client, or the description of any other failure. */
export type ProcessReply =
  { value: unknown } | { error: { code: string; message: string; context: object } } | { failure: string }
/** The answer of one of the processes. */
export type ProcessResult = { process: number; reply: ProcessReply }

/** A message from the supervisor to a process. */
export type SupervisorMessage =
  | { assignment: ProcessAssignment }
  | { stop: StopSignal }
  | { callId: number; call: ProcessCall; sent_ms: number }
  | { requestId: number; results: ProcessResult[] }

/** A message from a process to the supervisor: it listens, it calls the first or all processes, or it replies. */
export type ProcessMessage =
  | { isListening: true }
  | { requestId: number; call: ProcessCall; to: 'first' | 'all' }
  | { callId: number; reply: ProcessReply }

/** One of the processes of `serve --processes`, and its connection to the others. */
export type ServerProcess = ProcessAssignment & {
  /** Calls the listener with each request to stop. The end of the supervisor counts as one. */
  onStop(listener: (signal: StopSignal) => void): void
  /**
   * Tells the supervisor that this process listens on the port. Resolves when the supervisor has received it: then its
   * own listener, which held the port, accepts no more connections.
   */
  reportListening(): Promise<void>
  /** Sets the function that answers a call in this process. */
  handle(name: ProcessCall['name'], answer: (argument: unknown) => unknown): void
  /**
   * Calls the first process. Rejects with its error, or with `worker_lost` if it is being replaced or does not answer
   * within 3 seconds. It does not execute a call that it receives later.
   */
  callFirst(call: ProcessCall): Promise<unknown>
  /**
   * Calls all processes, this one too. Those that do not answer within a second are left out. Rejects with
   * `worker_lost` if the supervisor does not answer.
   */
  callAll(call: ProcessCall): Promise<ProcessResult[]>
  /** Ends the connection, so that the process can end. */
  disconnect(): void
}

type Channel = Pick<NodeJS.Process, 'on' | 'send' | 'disconnect'>
type Handler = (argument: unknown) => unknown

/** The time limit of a call to the first process. */
export const callTimeout_ms = 3000

/** Connects to the supervisor that started this process, and resolves when the assignment arrives. */
export async function connectToSupervisor(channel: Channel): Promise<ServerProcess> {
  const assignment = Promise.withResolvers<ProcessAssignment>()
  const handlers = new Map<ProcessCall['name'], Handler>([['heartbeat', () => null]])
  const deadlines = createSharedDeadline(() => errorOf(lostError))
  const requests = new Map<number, (results: ProcessResult[]) => void>()
  const earlyStops: StopSignal[] = []
  let onStop: (signal: StopSignal) => void = (signal) => earlyStops.push(signal)
  let requestCount = 0
  const send = (message: ProcessMessage) => void channel.send?.(message)
  channel.on('message', (message: SupervisorMessage) => {
    if ('assignment' in message) assignment.resolve(message.assignment)
    else if ('stop' in message) onStop(message.stop)
    else if ('results' in message) requests.get(message.requestId)?.(message.results)
    else if (message.call.name === 'heartbeat' || Date.now() - message.sent_ms < callTimeout_ms)
      void replyTo(message.call, handlers).then((reply) => send({ callId: message.callId, reply }))
  })
  channel.on('disconnect', () => onStop('SIGINT'))
  const request = (call: ProcessCall, to: 'first' | 'all') => {
    const requestId = ++requestCount
    send({ requestId, call, to })
    const results = new Promise<ProcessResult[]>((resolve) => requests.set(requestId, resolve))
    return deadlines.within(callTimeout_ms, results).finally(() => requests.delete(requestId))
  }
  return {
    ...(await assignment.promise),
    onStop(listener) {
      onStop = listener
      for (const signal of earlyStops.splice(0)) listener(signal)
    },
    async reportListening() {
      send({ isListening: true })
      // The supervisor handles messages in order.
      await request({ name: 'heartbeat', argument: null }, 'first').catch(() => {})
    },
    handle: (name, answer) => void handlers.set(name, answer),
    async callFirst(call) {
      const [result] = await request(call, 'first')
      return valueOf(result?.reply)
    },
    callAll: (call) => request(call, 'all'),
    disconnect: () => channel.disconnect?.(),
  }
}

/** Answers a call. All errors are sent as data. The process that made the call logs those that are not for clients. */
async function replyTo({ name, argument }: ProcessCall, handlers: ReadonlyMap<string, Handler>): Promise<ProcessReply> {
  const answer = handlers.get(name)
  if (!answer) return { error: lostError }
  try {
    return { value: await answer(argument) }
  } catch (error) {
    if (!(error instanceof ApiError)) return { failure: Bun.inspect(error) }
    return { error: { code: error.code, message: error.message, context: error.context } }
  }
}

const lostError = {
  code: 'worker_lost',
  message: 'The process that does this work does not answer, or is being replaced. Send the request again.',
  context: { retry_after_s: 1 },
}

function valueOf(reply: ProcessReply = { error: lostError }): unknown {
  if ('value' in reply) return reply.value
  if ('failure' in reply) throw new Error(`The first process failed to answer: ${reply.failure}`)
  throw errorOf(reply.error)
}

function errorOf({ code, message, context }: { code: string; message: string; context: object }): ApiError {
  return new ApiError(code as ApiCode, message, { ...context })
}

/** Whether this process does the work that one process does for all. A server with one process has no connection. */
export function isFirstProcess(serverProcess: Pick<ProcessAssignment, 'number'> | null): boolean {
  return (serverProcess?.number ?? 1) === 1
}
