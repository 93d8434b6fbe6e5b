/** A question at a terminal that stays open: its answer ends the reading, so that the command can end. */
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { it } from 'node:test'
import { isAnsweredYes } from '../../src/cli/question.ts'

for (const [answer, isYes] of [['y\n', true], ['YES\n', true], ['n\n', false], ['\n', false], ['yesterday\n', false]] as const) {
  it(`${JSON.stringify(answer)} is ${isYes ? 'a yes' : 'no yes'}, and stdin is read no further`, async () => {
    const [stdin, asked] = [new PassThrough(), [] as string[]]
    stdin.write(answer)
    assert.equal(await isAnsweredYes({ stdin, stderr: { write: (text: string) => void asked.push(text) } as never }, 'Go on?'), isYes)
    assert.deepEqual(asked, ['Go on? [y/N] '])
    assert.ok(stdin.destroyed)
  })
}
