/** What tells in the conformance check whether an expectation holds: it must find what does not. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { it } from 'node:test'
import { feedView } from '../../scripts/conformance/feed/feed-view.ts'
import { evaluatePython, isTrue, NotAsked, parsePython } from '../../scripts/conformance/feed/python-expression.ts'
import { SAMPLE_ADDRESS, SAMPLE_NOW, SAMPLE_RSS } from '../support/feeds/sample-feeds.ts'
import { createProblems } from '../../src/feeds/reading/feed-problems.ts'
import { readTree } from '../../src/feeds/reading/feed-tree.ts'
import { readFeed } from '../../src/feeds/reading/read-feed.ts'

const feed = readFeed(Buffer.from(SAMPLE_RSS), { address: SAMPLE_ADDRESS, now: SAMPLE_NOW })
const tree = readTree(SAMPLE_RSS, { address: SAMPLE_ADDRESS, itemsMax: 500, problems: createProblems(SAMPLE_RSS) })
const nameOf = feedView({ feed, tree, address: SAMPLE_ADDRESS, encoding: 'utf-8', isAscii: true, now: SAMPLE_NOW })

const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3'

const ROWS: readonly (readonly [expression: string, holds: boolean])[] = [
  ["not bozo and feed['title'] == 'Harbour & Sea'", true],
  ["not bozo and feed['title'] == 'Harbour'", false],
  ['bozo', false],
  ["feed['description'] == 'News of the <b>harbour</b>'", true],
  ["feed['description'] == 'News of the <b>town</b>'", false],
  ["entries[0]['title'] == u'New ferry \\u2013 two boats a day'", true],
  ["entries[0]['title'] == 'New ferry ' + '\\u2013' + ' two boats a day'", true],
  ["entries[0]['title'] == entries[1]['title'] == 'Pilots wanted'", false],
  ["entries[0]['title'] == 'x' or entries[1].title == 'Pilots wanted'", true],
  ["entries[0]['link'] == '/ferry?from=feed&day=1'", true],
  ["entries[0]['link'] == 'http://harbour.example/ferry?from=feed&day=1'", false],
  ["entries[0]['published_parsed'] == (2026, 3, 3, 8, 30, 0, 1, 62, 0)", true],
  ["entries[0]['published_parsed'] == (2026, 3, 3, 9, 30, 0, 1, 62, 0)", false],
  ["entries[0]['published'] == 'Tue, 03 Mar 2026 09:30:00 +0100'", true],
  ["entries[0]['published'] == 'Tue, 03 Mar 2026 09:30:00 GMT'", false],
  ["entries[0]['published'] == None", false],
  ["entries[0]['title_detail']['base'] == 'https://harbour.example/news/feed'", true],
  ["entries[1]['author'] is None", true],
  ["entries[1]['author'] == 'Ann'", false],
  ["entries[0]['tags'][1]['term'] == '''Sea & ships'''", true],
  ["entries[9]['title'] == ''", true],
  ["encoding == 'us-ascii' and encoding == 'UTF-8' and version == 'rss20'", true],
  ["encoding == 'iso-8859-1'", false],
  ["len(entries) == 2 and not entries[1]['author']", true],
]
const trees = skip === false ? parsePython(ROWS.map(([expression]) => expression)) : []
for (const [i, [expression, holds]] of ROWS.entries()) {
  it(`${expression} ${holds ? 'holds' : 'does not hold'}`, { skip }, () => assert.equal(isTrue(evaluatePython(trees[i] ?? assert.fail(), nameOf)), holds))
}

it('what a headline does not have is not asked, and what is no expression is an error', { skip }, () => {
  const notAsked = ["feed['generator'] == 'x'", 'headers', "entries[0]['links'][3]['href'] == 'x'", "feed['title'] >= 'x'"]
  for (const [i, tree] of parsePython(notAsked).entries()) assert.throws(() => evaluatePython(tree, nameOf), NotAsked, notAsked[i])
  assert.throws(() => parsePython(["feed['title"]), SyntaxError)
})
