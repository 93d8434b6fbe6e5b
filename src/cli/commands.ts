/** The table of commands, and the choice among them. */
import { didYouMean } from '../base/nearest.ts'
import { GUIDES } from '../guides/guides.ts'
import { parseArguments } from './arguments.ts'
import { EXIT, UsageError, type Command, type ExitCode, type Terminal } from './command.ts'
import { adminCommand, seedCommand } from './documents/data-commands.ts'
import { auditCommand } from './users/audit-command.ts'
import { backupCommand } from './backup/backup-command.ts'
import { backupKeyCommand } from './backup/backup-key-command.ts'
import { clientCommand } from './client-command.ts'
import { workAsOwner } from './data-owner.ts'
import { configCommand, openApiCommand, versionCommand } from './about-commands.ts'
import { commandHelp, groupHelp, guideHelp, overview } from './help-text.ts'
import { clusterInitCommand } from './cluster/cluster-init-command.ts'
import { clusterJoinCommand } from './cluster/cluster-join-command.ts'
import { clusterLeaveCommand } from './cluster/cluster-leave-command.ts'
import { clusterRemoveCommand } from './cluster/cluster-remove-command.ts'
import { clusterStatusCommand } from './cluster/cluster-status-command.ts'
import { clusterTokenCommand } from './cluster/cluster-token-command.ts'
import { clusterUpgradeCommand } from './cluster/cluster-upgrade-command.ts'
import { exampleCommand } from './example-command.ts'
import { explainCommand } from './documents/explain-command.ts'
import { mailTestCommand } from './mail/mail-test-command.ts'
import { exportCommand } from './documents/export-command.ts'
import { importCommand } from './import/import-command.ts'
import { mailOutboxCommand, mailRetryCommand } from './mail/mail-outbox-command.ts'
import { mediaCheckCommand, mediaListCommand } from './media/media-commands.ts'
import { matchCommand } from './documents/match-command.ts'
import { checkCommand } from './backup/check-command.ts'
import { repairReferencesCommand } from './documents/repair-references-command.ts'
import { restoreCommand } from './backup/restore-command.ts'
import { feedAddCommand } from './feeds/feed-add-command.ts'
import { feedFetchCommand } from './feeds/feed-fetch-command.ts'
import { feedImportCommand } from './feeds/feed-import-command.ts'
import { feedListCommand } from './feeds/feed-list-command.ts'
import { feedReadCommand } from './feeds/feed-read-command.ts'
import {
  publicationAddCommand,
  publicationListCommand,
  publicationRemoveCommand,
  publicationSecretCommand,
} from './publications/publication-commands.ts'
import { healthCommand } from './serve/health-command.ts'
import { serveCommand } from './serve/serve-command.ts'
import { settingsListCommand, settingsSetCommand, settingsUnsetCommand } from './settings/settings-commands.ts'
import { verifyCommand } from './backup/verify-command.ts'
import { tokenCreateCommand, tokenListCommand, tokenRevokeCommand } from './users/api-token-commands.ts'
import { passkeyListCommand, passkeyRemoveCommand } from './users/passkey-commands.ts'
import { tokenCommand } from './users/token-command.ts'
import { userDeleteCommand, userSetNameCommand, userSetRoleCommand, userSignOutCommand } from './users/user-change-commands.ts'
import { userInviteCommand } from './users/user-invite-command.ts'
import { userCodeCommand, userListCommand, userShowCommand } from './users/user-commands.ts'

const COMMANDS: readonly Command[] = [
  serveCommand,
  seedCommand,
  adminCommand,
  userListCommand,
  userShowCommand,
  userCodeCommand,
  userInviteCommand,
  userSetRoleCommand,
  userSetNameCommand,
  userSignOutCommand,
  userDeleteCommand,
  passkeyListCommand,
  passkeyRemoveCommand,
  settingsListCommand,
  settingsSetCommand,
  settingsUnsetCommand,
  tokenCommand,
  tokenCreateCommand,
  tokenListCommand,
  tokenRevokeCommand,
  auditCommand,
  mailTestCommand,
  mailOutboxCommand,
  mailRetryCommand,
  matchCommand,
  explainCommand,
  verifyCommand,
  backupCommand,
  backupKeyCommand,
  restoreCommand,
  checkCommand,
  healthCommand,
  exportCommand,
  importCommand,
  repairReferencesCommand,
  mediaListCommand,
  mediaCheckCommand,
  feedAddCommand,
  feedListCommand,
  feedFetchCommand,
  feedImportCommand,
  feedReadCommand,
  publicationListCommand,
  publicationAddCommand,
  publicationSecretCommand,
  publicationRemoveCommand,
  clusterInitCommand,
  clusterTokenCommand,
  clusterJoinCommand,
  clusterStatusCommand,
  clusterRemoveCommand,
  clusterLeaveCommand,
  clusterUpgradeCommand,
  configCommand,
  openApiCommand,
  exampleCommand,
  clientCommand,
  versionCommand,
]

/** The first words of all commands; several commands of a group have the same. */
const FIRST_WORDS = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? ''))]
const TOPICS = GUIDES.map(({ topic }) => topic)
const HELP_FLAGS = ['--help', '-h']

/** Runs the command that the words name: one word, or two as in `user list`. Throws UsageError. */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const named = words[0] === '--version' ? ['version', ...words.slice(1)] : words
  const [first = 'help', ...rest] = named.filter((word) => !HELP_FLAGS.includes(word))
  if (first === 'help' || named.some((word) => HELP_FLAGS.includes(word))) {
    terminal.stdout.write(first === 'help' ? helpAbout(rest, terminal) : commandsHelp([first, ...rest]))
    return EXIT.ok
  }
  const command = commandNamed(named)
  const args = parseArguments(command, named.slice(command.name.split(' ').length))
  workAsOwner(command, args, terminal)
  return command.run(args, terminal)
}

/** What `help` prints: a guide, the flags of a command, the commands of a group, or the list of all. */
function helpAbout(words: readonly string[], { columns }: Terminal): string {
  const [first = 'help', ...rest] = words
  if (first === 'help') return overview(COMMANDS, GUIDES)
  const isCommand = FIRST_WORDS.includes(first)
  if (!TOPICS.includes(first) && !isCommand) throw unknown('topic', first, [...TOPICS, ...FIRST_WORDS])
  if (!TOPICS.includes(first) || rest.length > 0) return commandsHelp(words)
  // `mail` is a topic and a group of commands.
  return `${isCommand ? `${commandsHelp(words)}\n` : ''}${guideHelp(first, columns)}`
}

function commandsHelp(words: readonly string[]): string {
  const [first = '', second] = words
  const members = COMMANDS.filter(({ name }) => name.startsWith(`${first} `))
  if (second !== undefined || members.length === 0) return commandHelp(commandNamed(words))
  // `token` is a command, and a group of them.
  const own = COMMANDS.find(({ name }) => name === first)
  return `${own === undefined ? '' : `${commandHelp(own)}\n`}${groupHelp(first, members)}`
}

function commandNamed(words: readonly string[]): Command {
  const [first = '', second = ''] = words
  const command = COMMANDS.find(({ name }) => name === `${first} ${second}`) ?? COMMANDS.find(({ name }) => name === first)
  if (command !== undefined) return command
  const members = COMMANDS.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name)
  if (members.length > 0) throw unknownMember(first, second, members)
  throw unknown('command', first, [...FIRST_WORDS, 'help'])
}

function unknown(kind: 'command' | 'topic', word: string, known: readonly string[]): UsageError {
  return new UsageError(`Unknown ${kind} "${word}"${didYouMean(word, known) || ': see "dateline help"'}`)
}

function unknownMember(group: string, word: string, members: readonly string[]): UsageError {
  const wanted = members.map((name) => `"dateline ${name}"`).join(', ')
  if (word === '' || word.startsWith('-')) return new UsageError(`dateline ${group} needs one of ${wanted}`)
  const guess = didYouMean(`${group} ${word}`, members, `${group} `)
  return new UsageError(`Unknown command "${group} ${word}"${guess || `: expected ${wanted}`}`)
}
