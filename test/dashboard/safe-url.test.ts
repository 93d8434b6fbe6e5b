/** URLs that elements of the dashboard take: stored texts and declarations may be anything. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isSafeUrl } from '../../src/dashboard/kit/dom.ts'

it('refuses a URL that runs or embeds what it holds, however it is written', () => {
  for (const [text, isSafe] of [
    ['https://news.example/a', true],
    ['http://localhost:8080/', true],
    ['mailto:desk@example.org', true],
    ['blob:https://news.example/1', true],
    ['#/topics', true],
    ['//other.example/a', true],
    ['javascript:alert(1)', false],
    ['JaVaScRiPt:alert(1)', false],
    [' \u0001java\tscript\n:alert(1)', false],
    ['data:text/html,<script>alert(1)</script>', false],
    ['vbscript:msgbox(1)', false],
    ['file:///etc/passwd', false],
    ['filesystem:https://news.example/a', false],
    ['http://', false],
  ] as const) {
    assert.equal(isSafeUrl(text, 'https://desk.example/'), isSafe, JSON.stringify(text))
  }
})
