import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pause, within } from '../../src/base/pause.ts'

test('what comes in time is returned, and what fails in time is thrown', async () => {
  assert.equal(await within(10_000, Promise.resolve('here')), 'here')
  await assert.rejects(within(10_000, Promise.reject(new Error('broken'))), /broken/)
})

test('what takes longer is left to itself', async () => {
  let isThere = false
  const late = pause(50).then(() => {
    isThere = true
  })
  assert.equal(await within(1, late), undefined)
  assert.equal(isThere, false)
  await late
})

test('a failure after the time is over does not end the process', async () => {
  const late = pause(5).then(() => {
    throw new Error('too late')
  })
  assert.equal(await within(1, late), undefined)
  await assert.rejects(late, /too late/)
})

test('a pause ends with its signal', async () => {
  const ending = new AbortController()
  const paused = pause(60_000, ending.signal)
  ending.abort()
  await paused
  await pause(60_000, ending.signal)
})
