/**
 * The load generator, a program of its own: takes a job as a message, loads the server with it over keep-alive
 * connections, each of which sends its next request when the response is there, and answers with the figures.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { cpuSeconds } from '../attacks/process-figures.ts'
import { median, percentile } from '../tools/percentile.ts'
import { connectTo } from './load-connection.ts'
import {
  CODE_PLACE,
  CONNECTIONS,
  EMAIL_PLACE,
  ID_PLACE,
  TIME_PLACE,
  WARM_UP_MS,
  WINDOW_MS,
  type LoadFigures,
  type LoadJob,
} from './load-job.ts'
import { emailOf } from './http-scenarios.ts'
import { startMailSink } from './mail-sink.ts'

/** Dates of requests begin here, as many milliseconds before now as the data has seconds. */
let time = Date.now() - 3_600_000
let emails = Date.now()
const sink = await startMailSink()

process.on('disconnect', () => process.exit())
process.on('message', (job: LoadJob) => {
  void load(job).then((figures) => process.send?.(figures))
})
process.send?.(sink.port)

/** Whether jobs go on, and what was measured of them since the window opened. */
interface Progress {
  isOver: boolean
  latencies: number[]
}

async function load(job: LoadJob): Promise<LoadFigures> {
  const progress: Progress = { isOver: false, latencies: [] }
  const clients = Array.from({ length: job.connections ?? CONNECTIONS }, () =>
    job.kind === 'signIns' ? signInAgain(job, progress) : sendAgain(job, progress),
  )
  const idle = job.sleeps === true ? () => 0 : measureIdle(progress)
  await pause(WARM_UP_MS)
  progress.latencies = []
  const [since, cpuBefore, idleBefore] = [performance.now(), cpuSeconds(job.pid), idle()]
  await pause(job.windowMs ?? WINDOW_MS)
  const [ms, cpu, idleMs] = [performance.now() - since, cpuSeconds(job.pid) - cpuBefore, idle() - idleBefore]
  const latencies = [...progress.latencies]
  progress.isOver = true
  await Promise.all(clients)
  return {
    perSecond: latencies.length / (ms / 1000),
    p50Ms: median(latencies),
    p99Ms: percentile(latencies, 0.99),
    cpuMicros: (cpu * 1e6) / Math.max(1, latencies.length),
    serverBusy: cpu / (ms / 1000),
    loadBusy: 1 - idleMs / ms,
  }
}

/**
 * Never sleeps, where the job does not say otherwise: a client that sleeps has to be woken by the server's write, which would be
 * counted as the server's work. So the time of turns in which no response came is what the load generator had left.
 */
function measureIdle(progress: Progress): () => number {
  let [idleMs, last, answered] = [0, performance.now(), progress.latencies.length]
  const turn = (): void => {
    const now = performance.now()
    if (progress.latencies.length === answered) idleMs += now - last
    ;[last, answered] = [now, progress.latencies.length]
    if (!progress.isOver) setImmediate(turn)
  }
  turn()
  return () => idleMs
}

let sent = 0

function sendAgain({ port, requests, status }: LoadJob, progress: Progress): Promise<void> {
  return new Promise((resolve) => {
    let started = 0
    const send = (): void => {
      started = performance.now()
      const text = requests[sent++ % requests.length] ?? ''
      connection.send(text.includes(TIME_PLACE) ? text.replace(TIME_PLACE, new Date(time++).toISOString()) : text)
    }
    const connection = connectTo(port, (found) => {
      if (found !== status) throw new Error(`A request was answered with ${found}: wanted ${status}`)
      progress.latencies.push(performance.now() - started)
      if (!progress.isOver) return send()
      connection.close()
      resolve()
    })
    send()
  })
}

/** Asks for a code, waits for the mail, and signs in with the code. */
async function signInAgain(job: LoadJob, progress: Progress): Promise<void> {
  const { port, requests: [forCode = '', withCode = ''], status, emails: known } = job
  type Answer = readonly [status: number, last: Buffer]
  let answer = Promise.withResolvers<Answer>()
  const connection = connectTo(port, (...found) => answer.resolve(found))
  const ask = (text: string): Promise<Answer> => {
    answer = Promise.withResolvers()
    connection.send(text)
    return answer.promise
  }
  while (!progress.isOver) {
    const started = performance.now()
    const email = known?.[emails++ % known.length] ?? emailOf(emails++)
    const code = sink.codeFor(email)
    const [requested, response] = await ask(forCode.replace(EMAIL_PLACE, email))
    if (requested >= 300) throw new Error(`A request for a code was answered with ${requested}`)
    const [, id = ''] = /"otpId":"(\w+)"/.exec(response.toString()) ?? []
    const text = withCode.replace(EMAIL_PLACE, email).replace(CODE_PLACE, await code).replace(ID_PLACE, id)
    const [verified] = await ask(text)
    if (verified !== status) throw new Error(`A sign-in was answered with ${verified}: wanted ${status}`)
    progress.latencies.push(performance.now() - started)
  }
  connection.close()
}
