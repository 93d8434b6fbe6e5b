/**
 * `npm run bench -- http [N] [NAME…]`: the requests of apps to a service with N headlines (default 20,000), each beside
 * a bare node:http server that sends the same bytes and, where one statement gives the rows, beside node:http over that
 * statement. Names choose rows of the table. Takes about two minutes.
 */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBenchRoom, isPinned } from './bench-processes.ts'
import { startComparisons, startGenerator, startTarget } from './bench-target.ts'
import type { Comparison } from './comparison-server.ts'
import { httpScenarios, type Scenario } from './http-scenarios.ts'
import { TIME_PLACE } from './load-job.ts'
import { ROUND_SECONDS, runRounds } from './load-rounds.ts'
import { headOf, lineOf, skippedLine } from './load-table.ts'
import { sendRaw } from './raw-request.ts'

const HEADLINES_DEFAULT = 20_000
const RATIOS = ['of bare', 'of SQL'] as const

export async function benchHttp(words: readonly string[]): Promise<void> {
  const [first = ''] = words
  // Only the first word: `304` is the name of a row.
  const [count, names] = /^\d+$/.test(first) ? [Number(first), words.slice(1)] : [HEADLINES_DEFAULT, words]
  await using room = createBenchRoom()
  const { generator, mailPort } = await startGenerator(room)
  const databases = { read: '', written: join(room.directory, 'inserts.db') }
  const beforeStart = (directory: string): void => {
    databases.read = join(directory, 'dateline.db')
    copyFileSync(databases.read, databases.written)
  }
  const target = await startTarget(room, { count, mailPort, beforeStart })
  const all = await httpScenarios(target)
  const chosen = all.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)))
  const comparisons = await Promise.all(chosen.map((scenario) => comparisonsOf(scenario, target.port, databases)))
  const servers = await startComparisons(room, comparisons.flat())
  const measured = chosen.filter(({ skipped }) => skipped === undefined).length + servers.length
  console.log(
    `${count} headlines, ${isPinned ? 'servers on one core, load on another' : 'servers and load share their cores'}; ` +
      `about ${Math.ceil(measured * ROUND_SECONDS)} s\n`,
  )
  console.log(headOf(RATIOS))
  for (const [i, { name, job, skipped }] of chosen.entries()) {
    const beside = servers.splice(0, comparisons[i]?.length)
    if (skipped !== undefined) {
      console.log(skippedLine(name, skipped))
      continue
    }
    const [ours, ...others] = await runRounds(generator, [target, ...beside].map(({ port, pid }) => ({ ...job, port, pid })))
    if (ours !== undefined) console.log(lineOf(name, ours, new Map(RATIOS.map((title, at) => [title, others[at]]))))
  }
}

/** The servers beside ours, by what ours sends. A sign-in has none. */
async function comparisonsOf(
  { job, sql, skipped }: Scenario,
  port: number,
  databases: { readonly read: string; readonly written: string },
): Promise<readonly Comparison[]> {
  if (skipped !== undefined || job.kind === 'signIns') return []
  const [request = ''] = job.requests
  const { status, headers, body } = await sendRaw(port, request.replace(TIME_PLACE, new Date().toISOString()))
  const text = body.toString()
  if (status !== job.status) throw new Error(`A request was answered with ${status}: wanted ${job.status}: ${text}`)
  const encoding = headers['content-encoding']
  const bare: Comparison = { kind: 'bytes', status, encoding, base64: body.toString('base64') }
  if (sql === undefined) return [bare]
  const { data } = JSON.parse(text) as { data: { readonly id: string; readonly items?: readonly unknown[] } }
  if (status === 201) {
    return [bare, { kind: 'inserts', database: databases.written, sql: sql.text, doc: JSON.stringify(data), id: data.id }]
  }
  const [head, tail] = text.split(JSON.stringify(data.items ?? [data]).slice(1, -1))
  if (head === undefined || tail === undefined) throw new Error('Cannot find the rows in the response')
  return [bare, { kind: 'rows', database: databases.read, sql: sql.text, parameters: sql.parameters, head, tail }]
}
