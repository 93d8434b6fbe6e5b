/** `dateline example`: prints a file for the start of a site of one's own. */
import { didYouMean } from '../base/nearest.ts'
import { EXAMPLES, readExample } from '../guides/examples.ts'
import { EXIT, UsageError, type Command } from './command.ts'
import { printTable } from './print-table.ts'

export const exampleCommand: Command = {
  name: 'example',
  summary: 'print a file for systemd, a proxy or containers; without a name, list them',
  operands: [{ name: 'NAME', meaning: 'one of those that "dateline example" lists', isOptional: true }],
  options: [],
  settings: [],
  examples: ['dateline example', 'dateline example systemd > /etc/systemd/system/dateline.service'],
  async run({ operands: [name] }, { stdout }) {
    if (name === undefined) {
      stdout.write(printTable(['NAME', 'FILE', 'IS'], EXAMPLES.map(({ name, file, about }) => [name, file.replace(/^.*\//, ''), about])))
      return EXIT.ok
    }
    const example = EXAMPLES.find((one) => one.name === name)
    if (example === undefined) {
      const guess = didYouMean(name, EXAMPLES.map((one) => one.name))
      throw new UsageError(`Unknown example "${name}"${guess || ': see "dateline example"'}`)
    }
    stdout.write(readExample(example))
    return EXIT.ok
  },
}
