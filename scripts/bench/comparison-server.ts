/**
 * Servers to compare with, a program of its own: `node comparison-server.ts FILE`, whose JSON lists what each of them
 * sends. Prints their ports as a line of JSON.
 */
import { once } from 'node:events'
import { createReadStream, readFile, readFileSync, stat } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The same bytes each time, and nothing else is done. */
export interface SameBytes {
  readonly kind: 'bytes'
  readonly status: number
  readonly encoding: string | undefined
  readonly base64: string
}

/** Rows of one prepared statement, whose parameters come in turn, between a head and a tail. */
export interface Rows {
  readonly kind: 'rows'
  readonly database: string
  readonly sql: string
  readonly parameters: readonly (readonly string[])[]
  readonly head: string
  readonly tail: string
}

/** Inserts a document, with a new id in it, in one commit with those of the same turn. */
export interface Inserts {
  readonly kind: 'inserts'
  readonly database: string
  readonly sql: string
  readonly doc: string
  readonly id: string
}

/** The file that the last part of the path names, below a directory of its first two characters. */
export interface Files {
  readonly kind: 'files'
  readonly directory: string
  /** By a stream, or read whole. */
  readonly isPiped: boolean
}

export type Comparison = SameBytes | Rows | Inserts | Files

const HEADERS = { 'Content-Type': 'application/json; charset=utf-8' }

function listenerOf(comparison: Comparison): RequestListener {
  switch (comparison.kind) {
    case 'bytes':
      return sameBytes(comparison)
    case 'rows':
      return rows(comparison)
    case 'inserts':
      return inserts(comparison)
    case 'files':
      return files(comparison)
  }
}

function sameBytes({ status, encoding, base64 }: SameBytes): RequestListener {
  const body = Buffer.from(base64, 'base64')
  const length = status === 304 ? {} : { 'Content-Length': body.length }
  const headers = { ...HEADERS, ...length, ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }) }
  return (request, response) => {
    response.writeHead(status, headers)
    request.on('end', () => response.end(body)).resume()
  }
}

function rows({ database, sql, parameters, head, tail }: Rows): RequestListener {
  const statement = new DatabaseSync(database, { readOnly: true }).prepare(sql)
  let next = 0
  return (_request, response) => {
    const found = statement.all(...(parameters[next++ % parameters.length] ?? [])) as { doc: string }[]
    send(response, 200, head + found.map(({ doc }) => doc).join(',') + tail)
  }
}

function inserts({ database, sql, doc, id }: Inserts): RequestListener {
  const connection = new DatabaseSync(database)
  connection.exec('PRAGMA synchronous = FULL')
  const statement = connection.prepare(sql)
  const [before = '', after = ''] = doc.split(id)
  let [made, waiting] = [0, [] as ServerResponse[]]
  const commit = (): void => {
    const responses = waiting
    waiting = []
    connection.exec('BEGIN IMMEDIATE')
    const docs = responses.map(() => {
      const newId = `b${(made++).toString(16).padStart(23, '0')}`
      const text = before + newId + after
      statement.run(newId, text)
      return text
    })
    connection.exec('COMMIT')
    for (const [i, response] of responses.entries()) send(response, 201, docs[i] ?? '')
  }
  return (request, response) => {
    request
      .on('end', () => {
        if (waiting.push(response) === 1) setImmediate(commit)
      })
      .resume()
  }
}

function files({ directory, isPiped }: Files): RequestListener {
  return ({ url = '' }, response) => {
    const name = url.slice(url.lastIndexOf('/') + 1)
    const path = join(directory, name.slice(0, 2), name)
    const begin = (length: number): ServerResponse => response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': length })
    if (isPiped) stat(path, (error, { size }) => void (error ?? createReadStream(path).pipe(begin(size))))
    else readFile(path, (error, body) => void (error ?? begin(body.length).end(body)))
  }
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { ...HEADERS, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

if (import.meta.main) {
  process.stdin.resume().once('end', () => process.exit())
  const comparisons = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Comparison[]
  const ports: number[] = []
  for (const comparison of comparisons) {
    const server = createServer({ noDelay: true }, listenerOf(comparison)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    ports.push((server.address() as AddressInfo).port)
  }
  console.log(JSON.stringify(ports))
}
