// Judges what a critic left in a session folder, whoever runs the loop. CommonJS; the folder is the first argument.

const { decide, isUmpireError } = require('umpire');

async function main() {
  const { verdict, report } = await decide({ loop: 'review', session: process.argv[2], dryRun: true });
  console.log(`${verdict.decision}, round ${verdict.round} of ${verdict.maxRounds}, rule ${verdict.rule}: ${verdict.reason}`);
  if (verdict.outcome === 'escalate') console.log(report.split('\n')[0]);
}

main().catch((error) => {
  if (!isUmpireError(error)) throw error;
  console.log(`${error.code}: ${error.message}`);
  console.log(error.hint);
});
